"""What every kind of fact says about itself holds together."""

from __future__ import annotations

import pytest

from custody.model.event import FACTS
from custody.model.fact import Fact


@pytest.mark.parametrize("name", FACTS)
def test_the_traits_of_a_kind(name: str) -> None:
    kind = FACTS[name]
    traits = kind.traits
    assert "traits" in vars(kind), "each kind says its own"
    if traits.ends_run:
        assert traits.changes_state
        assert traits.last_word
        assert traits.about == "run"
    if traits.about != "run":
        assert "node" in kind.__struct_fields__
    if not traits.shared_by_fork:
        assert not traits.decision, "a fork has every decision of the run it comes from"
    if traits.boundary:
        assert traits.about != "attempt"


def test_a_fact_names_no_file_unless_it_says_so() -> None:
    overriding = {name for name, kind in FACTS.items() if kind.evidence is not Fact.evidence}
    assert {"StageStarted", "RequestAnswered"} <= overriding
