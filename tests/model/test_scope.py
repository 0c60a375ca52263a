"""What the stages of one walk share, and what an item sees of the walk around it."""

from __future__ import annotations

from custody.model.request import Spent
from custody.model.scope import Scope


def test_an_item_sees_what_stood_around_it_and_keeps_its_own() -> None:
    run = Scope()
    run.context["goal"] = "ship it"
    run.last_failure = {"node": "a"}
    item = Scope(run)
    item.context["draft"] = "x"
    assert dict(item.context) == {"goal": "ship it", "draft": "x"}
    assert dict(run.context) == {"goal": "ship it"}
    assert item.own == {"draft": "x"}
    assert item.last_failure == {"node": "a"}


def test_what_an_item_sets_does_not_reach_its_siblings() -> None:
    run = Scope()
    one, other = Scope(run), Scope(run)
    one.context["x"] = 1
    one.last_failure = {"node": "one"}
    assert "x" not in other.context
    assert other.last_failure == {}


def test_each_walk_counts_for_itself() -> None:
    run = Scope()
    item = Scope(run)
    inner = Scope(item)
    assert list(inner.outwards()) == [inner, item, run]
    for scope in inner.outwards():
        scope.steps += 1
    item.steps += 1
    assert (run.steps, item.steps, inner.steps) == (1, 2, 1)
    assert run.spent == Spent()
