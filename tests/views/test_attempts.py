from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from custody.model.event import (
    AnyFact,
    Heard,
    RouteChosen,
    StageCompleted,
    StageRetrying,
    StageStarted,
)
from custody.model.outcome import Outcome, Route
from custody.views.attempts import attempts
from support.facts import line_of

ROUTE = Route(target="b", by_condition=False, candidates=())


def journal(*facts: AnyFact) -> Iterator[Heard]:
    for seq, fact in enumerate(facts):
        yield replace(line_of(fact, seq), ts=f"t{seq}"), fact


def started(node: str, visit: int, attempt: int) -> StageStarted:
    return StageStarted(node=node, type="tool", visit=visit, attempt=attempt)


def test_each_attempt_has_its_own_account() -> None:
    again = Outcome(status="retry", failure_reason="busy")
    done = Outcome(status="success")
    first, second = attempts(
        journal(
            started("a", 1, 1),
            StageRetrying(node="a", visit=1, attempt=1, outcome=again, delay=0.5),
            started("a", 1, 2),
            StageCompleted(node="a", visit=1, attempt=2, outcome=done),
            RouteChosen(node="a", route=ROUTE),
            started("b", 1, 1),
        ),
        "a",
    )
    assert (first.number, first.folder, first.outcome) == ("1.1", "nodes/a/1.1", again)
    assert (first.started_at, first.ended_at, first.retry_delay) == ("t0", "t1", 0.5)
    assert (second.number, second.outcome, second.route) == ("1.2", done, ROUTE)
    assert second.retry_delay is None


def test_a_stage_at_work_has_no_outcome() -> None:
    (shown,) = attempts(journal(started("a", 1, 1)), "a")
    assert (shown.outcome, shown.ack, shown.ended_at) == (None, None, "")


def test_a_node_that_was_never_entered_has_no_attempts() -> None:
    assert attempts(journal(started("a", 1, 1)), "b") == ()
