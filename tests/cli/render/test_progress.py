from __future__ import annotations

import itertools

import pytest

from custody.cli.render.progress import (
    ANSWERED,
    AT_WORK,
    INTERRUPTED,
    SHOWN,
    WAITING,
    Board,
    Progress,
    Row,
)
from custody.cli.result import Line
from custody.model.attempt_event import AnswerArrived
from custody.model.event import (
    GENESIS,
    AnyFact,
    JournalLine,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome, Route
from custody.model.process_event import (
    PipelineReplaced,
    RunInterrupted,
    RunResumed,
    RunWaiting,
)
from custody.model.record import encode
from custody.model.request import Ack, AgentRequest, Spent, Usage
from custody.model.usage import UsageTotal

FAILED = Outcome(status="fail", failure_reason="tool_exit_code_1", failure_summary="exit code 1")


def line_of(fact: AnyFact, second: int = 0) -> JournalLine:
    import msgspec

    return JournalLine(
        seq=0, ts=f"1970-01-01T00:00:{second:02}Z", run_id="r1", level=fact.traits.level,
        role="engine", event=type(fact).__name__, node=None, path="",
        data=msgspec.Raw(encode(fact)), prev=GENESIS,
    )  # fmt: skip


class Watcher:
    """Hears what a board says about lines that come one a second."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.progress = Progress()
        self._seconds = itertools.count()
        self.board = Board(ended=self.lines.append, changed=self.show)

    def show(self, progress: Progress) -> None:
        self.progress = progress

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.progress.rows

    @property
    def told(self) -> list[str]:
        """Return each row in short."""
        return [f"{row.node} {row.state} {row.detail}".rstrip() for row in self.rows]

    def tell(self, *facts: AnyFact) -> None:
        for fact in facts:
            self.board.hear(line_of(fact, next(self._seconds)), fact)


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


def started(node: str, attempt: int = 1, type: str = "tool") -> StageStarted:  # noqa: A002
    return StageStarted(node=node, type=type, visit=1, attempt=attempt)


def asked(node: str) -> StageStarted:
    request = AgentRequest(
        id=f"{node}/1.1", timeout=1.0, agent="fake", prompt=Evidence.of_text("p", "x"), call=1
    )
    return StageStarted(node=node, type="agent_task", visit=1, attempt=1, request=request)


def answer(node: str, usage: Usage | None = None) -> Ack:
    return Ack(request_id=f"{node}/1.1", status="ok", seconds=0.5, usage=usage)


def route(node: str, target: str, *, by_condition: bool = False) -> RouteChosen:
    chosen = Route(target=target, by_condition=by_condition, candidates=())
    return RouteChosen(node=node, route=chosen)


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


@pytest.mark.req("U-13")
def test_of_a_list_one_row_an_item_at_work_is_shown(watcher: Watcher) -> None:
    watcher.tell(started("work", type="each"), asked("work.1.write"), asked("work.2.write"))
    assert watcher.told == [
        f"work {AT_WORK} 0 items done",
        f"work.1.write {AT_WORK}",
        f"work.2.write {AT_WORK}",
    ]
    watcher.tell(AnswerArrived(node="work.2.write", ack=answer("work.2.write")))
    watcher.tell(completed("work.1.write"), route("work.1.write", "work.1.check"))
    watcher.tell(started("work.1.check"), completed("work.2.write"), route("work.2.write", "w"))
    assert watcher.told == [f"work {AT_WORK} 0 items done", f"work.1.check {AT_WORK}"]
    watcher.tell(started("work.2.done", type="exit"), completed("work.2.done"))
    assert watcher.told[0] == f"work {AT_WORK} 1 item done"
    watcher.tell(failed("work.1.check"), route("work.1.check", ""), started("work.3.write"))
    assert watcher.told == [
        f"work {AT_WORK} 2 items done, 1 of them failed",
        f"work.3.write {AT_WORK}",
    ]
    watcher.tell(completed("work.3.write"), completed("work"))
    assert watcher.told == ["work success"]


def test_an_item_failed_when_no_edge_took_care_of_a_failure(watcher: Watcher) -> None:
    watcher.tell(started("w", type="each"))
    for item in (1, 2):
        stage, done = f"w.{item}.a", f"w.{item}.done"
        watcher.tell(started(stage), failed(stage), route(stage, done, by_condition=item == 1))
        watcher.tell(started(done, type="exit"), completed(done))
    assert watcher.told == [f"w {AT_WORK} 2 items done, 1 of them failed"]


def test_a_list_inside_a_list_counts_its_own_items(watcher: Watcher) -> None:
    watcher.tell(started("a", type="each"), started("a.1.b", type="each"), started("a.1.b.2.x"))
    watcher.tell(completed("a.1.b.2.x"), started("a.1.b.2.done", type="exit"))
    watcher.tell(completed("a.1.b.2.done"))
    assert watcher.told == [f"a {AT_WORK} 0 items done", f"a.1.b {AT_WORK} 1 item done"]


def test_an_answer_before_its_turn_is_not_at_work(watcher: Watcher) -> None:
    watcher.tell(asked("a"), AnswerArrived(node="a", ack=answer("a")))
    assert watcher.told == [f"a {ANSWERED}"]
    assert watcher.rows[0].seconds(now=1e9) == 0.5


@pytest.mark.req("U-11")
def test_what_the_run_has_cost_is_told_while_it_goes_on(watcher: Watcher) -> None:
    usage = Usage(model="m", input_tokens=10, output_tokens=2, cost_usd=0.5)
    answered = RequestAnswered(node="a", ack=answer("a", usage), diff=Evidence.of_text("d", ""))
    watcher.tell(asked("a"), answered)
    assert watcher.progress.usage == UsageTotal(
        answers=1, tokens=12, input_tokens=10, output_tokens=2, cost_usd=0.5
    )


def test_a_run_that_halts_has_nothing_at_work(watcher: Watcher) -> None:
    watcher.tell(asked("a"), asked("b"))
    watcher.tell(RunWaiting(node="b", request_id="b/1.1", path="p", answer="q"))
    assert watcher.told == [f"a {INTERRUPTED}", f"b {WAITING}"]
    watcher.tell(RunResumed())
    assert watcher.told == [f"a {AT_WORK}", f"b {AT_WORK}"]
    watcher.tell(RunInterrupted(reason="SIGINT"))
    assert watcher.told == [f"a {INTERRUPTED}", f"b {INTERRUPTED}"]
    assert watcher.rows[0].seconds(now=1e9) == 1.0


def test_a_board_that_nobody_looks_at_keeps_failures_alone() -> None:
    board = Board()
    board.hear(line_of(failed("a")), failed("a"))
    assert (board.failures, board.progress().rows) == ({"a": "exit code 1"}, ())


def test_what_was_before_counts_and_is_not_told_again() -> None:
    told: list[Line] = []
    shown: list[Progress] = []
    usage = Usage(input_tokens=10, output_tokens=2)
    answered = RequestAnswered(node="a", ack=answer("a", usage), diff=Evidence.of_text("d", ""))
    spent = {"a": Spent(tokens=12)}
    replaced = PipelineReplaced(
        old_sha256="", new_sha256="", kept_seq=0, reused=(), discarded=spent
    )
    board = Board(ended=told.append, changed=shown.append)
    board.recall([line_of(fact) for fact in (asked("a"), answered, completed("a"))])
    assert (told, shown) == ([], [])
    board.hear(line_of(replaced), replaced)
    assert shown[-1].usage.tokens == 12, "it was heard of before it was set aside"
    assert [row.node for row in shown[-1].rows] == ["a"]
