"""How an attempt ended, in its own folder."""

from __future__ import annotations

import pytest

from custody.model.event import (
    AnyFact,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.outcome import Outcome
from custody.views.status import stage_status
from support.facts import sample

OUTCOME = Outcome(status="fail", failure_reason="why", notes="n", context_updates={"x": 1})


@pytest.mark.parametrize("kind", [StageCompleted, StageFailed, StageRetrying])
def test_a_fact_that_ends_an_attempt(kind: type[AnyFact]) -> None:
    made = stage_status(sample(kind, node="a", visit=2, attempt=3, outcome=OUTCOME), 1.5)
    assert made is not None
    folder, status = made
    assert folder == "nodes/a/2.3"
    assert (status.node, status.visit, status.attempt) == ("a", 2, 3)
    assert (status.outcome, status.failure_reason, status.notes) == ("fail", "why", "n")
    assert (status.context_updates, status.seconds) == ({"x": 1}, 1.5)


@pytest.mark.parametrize("kind", [StageStarted, RouteChosen])
def test_no_other_fact_has_one(kind: type[AnyFact]) -> None:
    assert stage_status(sample(kind), 0) is None
