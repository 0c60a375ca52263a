"""Contestants take turns, and one that fails is left out with its reason."""

from __future__ import annotations

from benchmarks.fresh import NotMeasured
from benchmarks.rounds import interleave


def test_contestants_alternate_and_each_begins_in_its_turn() -> None:
    order: list[str] = []

    def turn(name: str) -> dict[str, float]:
        order.append(name)
        return {"time": float(len(order))}

    results = interleave({"a": lambda: turn("a"), "b": lambda: turn("b")}, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert results["a"].median("time") == 4
    assert results["a"].median("memory") is None


def test_a_contestant_has_no_more_turns_than_its_most() -> None:
    results = interleave({"a": lambda: {"time": 1}}, 3, most={"a": 2})
    assert len(results["a"].turns) == 2


def test_a_failure_is_kept_and_ends_the_turns() -> None:
    def fail() -> dict[str, float]:
        raise NotMeasured("not installed")

    result = interleave({"a": fail}, 2)["a"]
    assert result.failure == "not installed"
    assert result.median("time") is None


def test_only_the_first_round_begins_when_patience_is_at_an_end() -> None:
    results = interleave({"a": lambda: {"time": 1}}, 3, patience=-1)
    assert len(results["a"].turns) == 1
