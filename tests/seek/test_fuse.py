"""Legs become one order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.seek.fuse import Leg, fuse

pytestmark = pytest.mark.req("E-10")
SCORES = st.dictionaries(st.sampled_from("abcdefg"), st.floats(min_value=0.001, max_value=1000.0))
LEGS = st.lists(st.builds(Leg, SCORES, st.floats(min_value=0.01, max_value=2.0)), max_size=4)


def test_the_best_of_a_leg_has_its_weight() -> None:
    assert fuse([Leg({"a": 8.0, "b": 4.0}, 1.0), Leg({"b": 0.5}, 0.3)]) == [("a", 1.0), ("b", 0.8)]


def test_what_is_alike_goes_by_name() -> None:
    assert [name for name, _ in fuse([Leg({"c": 1.0, "a": 1.0, "b": 1.0}, 1.0)])] == ["a", "b", "c"]


def test_a_leg_of_weight_zero_names_nothing() -> None:
    assert fuse([Leg({"a": 1.0}, 0.0)]) == []
    assert fuse([]) == []


def test_what_is_unlike_takes_nothing_away() -> None:
    assert fuse([Leg({"a": -0.5, "b": 0.5}, 1.0)]) == [("b", 1.0), ("a", 0.0)]
    assert fuse([Leg({"a": -0.5}, 1.0)]) == [("a", 0.0)]


@given(LEGS)
def test_all_that_is_named_stands_once_and_in_order(legs: list[Leg]) -> None:
    found = fuse(legs)
    assert {name for name, _ in found} == {name for leg in legs for name in leg.scores}
    assert len({name for name, _ in found}) == len(found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(score <= sum(leg.weight for leg in legs) + 1e-9 for _, score in found)


@given(SCORES.filter(bool), st.floats(min_value=0.01, max_value=100.0))
def test_what_a_leg_counts_in_does_not_matter(scores: dict[str, float], factor: float) -> None:
    larger = {name: factor * score for name, score in scores.items()}
    one, other = fuse([Leg(scores, 1.0)]), fuse([Leg(larger, 1.0)])
    assert dict(one) == pytest.approx(dict(other))
