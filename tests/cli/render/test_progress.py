from __future__ import annotations

import itertools

import pytest

from custody.cli.render.progress import AT_WORK, SHOWN, Board, Row
from custody.cli.result import Line
from custody.model.event import (
    GENESIS,
    AnyFact,
    JournalLine,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.outcome import Outcome, Route
from custody.model.process_event import PipelineReplaced, RunResumed
from custody.model.record import encode

FAILED = Outcome(status="fail", failure_reason="tool_exit_code_1", failure_summary="exit code 1")


def line_of(fact: AnyFact) -> JournalLine:
    import msgspec

    return JournalLine(
        seq=0, ts="2026-01-31T10:15:00Z", run_id="r1", level=fact.traits.level, role="engine",
        event=type(fact).__name__, node=None, path="", data=msgspec.Raw(encode(fact)), prev=GENESIS,
    )  # fmt: skip


class Watcher:
    """Hears what a board says, on a clock that ticks once a look."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.rows: tuple[Row, ...] = ()
        ticks = itertools.count()
        self.board = Board(
            ended=self.lines.append, changed=self.show, clock=lambda: float(next(ticks))
        )

    def show(self, rows: tuple[Row, ...]) -> None:
        self.rows = rows

    def tell(self, *facts: AnyFact) -> None:
        for fact in facts:
            self.board.hear(line_of(fact), fact)


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


def started(node: str, attempt: int = 1) -> StageStarted:
    return StageStarted(node=node, type="tool", visit=1, attempt=attempt)


def completed(node: str) -> StageCompleted:
    return StageCompleted(node=node, visit=1, attempt=1, outcome=Outcome(status="success"))


def failed(node: str) -> StageFailed:
    return StageFailed(node=node, visit=1, attempt=1, outcome=FAILED)


def test_the_stage_at_work_is_shown_with_its_time(watcher: Watcher) -> None:
    watcher.tell(started("a"))
    assert watcher.rows == (Row("a", "tool", AT_WORK, 1, since=0.0),)
    assert watcher.rows[0].seconds(now=7.5) == 7.5
    assert watcher.lines == []


def test_a_stage_that_ended_keeps_its_time(watcher: Watcher) -> None:
    watcher.tell(started("a"), completed("a"))
    assert watcher.rows[0].state == "success"
    assert watcher.rows[0].seconds(now=100.0) == 1.0
    assert watcher.lines == [Line("a                success            1.0s", "good")]


def test_a_failure_says_why(watcher: Watcher) -> None:
    watcher.tell(started("a"), failed("a"))
    assert watcher.lines == [
        Line("a                fail               1.0s  tool_exit_code_1", "bad")
    ]
    assert watcher.board.failures == {"a": "exit code 1"}


def test_a_failure_is_forgotten_when_the_stage_succeeds(watcher: Watcher) -> None:
    watcher.tell(started("a"), failed("a"), started("a"), completed("a"))
    assert watcher.board.failures == {}


def test_retries_stay_in_one_row(watcher: Watcher) -> None:
    again = StageRetrying(node="a", visit=1, attempt=1, outcome=FAILED, delay=2.0)
    watcher.tell(started("a"), again, started("a", attempt=2))
    assert [(row.attempt, row.detail) for row in watcher.rows] == [
        (2, "attempt 1: tool_exit_code_1")
    ]
    assert watcher.lines == [Line("a                retrying in 2.0s  tool_exit_code_1", "warn")]


def test_what_happened_to_the_run_is_told(watcher: Watcher) -> None:
    replaced = PipelineReplaced(old_sha256="a", new_sha256="b", kept_seq=3, reused=("a", "b"))
    watcher.tell(RunResumed(restored_count=1), replaced)
    assert [line.text for line in watcher.lines] == [
        "resumed; 1 workspace path put back",
        "pipeline changed; 2 nodes kept",
    ]


def test_only_the_latest_stages_stay_in_sight(watcher: Watcher) -> None:
    for number in range(SHOWN + 3):
        watcher.tell(started(f"n{number}"), completed(f"n{number}"))
    assert [row.node for row in watcher.rows] == [f"n{number}" for number in range(3, SHOWN + 3)]


def test_the_first_fact_heard_may_be_in_the_middle_of_a_stage(watcher: Watcher) -> None:
    """A resumed run is heard from its first new line on."""
    watcher.tell(
        completed("a"),
        RouteChosen(node="a", route=Route(target="b", by_condition=False, candidates=())),
        started("b", attempt=2),
        failed("b"),
    )
    assert [row.node for row in watcher.rows] == ["a", "b"]
