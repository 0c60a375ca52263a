"""A run as it goes on: which stages are at work, how the others ended, what it has cost by now.

The board is changed only by facts that are durable, by their own times: whoever watches from
another terminal sees the same. What it shows is a value, so that another thread can draw it.

A stage that works through a list has a row that counts its items, and below it one row for each
item at work; the stages of an item that have ended are counted, not listed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from custody.cli.render.journal import TONES, detail
from custody.cli.render.table import count, seconds
from custody.cli.result import Line, Tone
from custody.model.attempt_event import AnswerArrived
from custody.model.event import (
    AnyFact,
    JournalLine,
    PipelineStarted,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.outcome import Outcome
from custody.model.process_event import (
    PipelineReplaced,
    RunInterrupted,
    RunResumed,
    RunWaiting,
)
from custody.model.state import EACH
from custody.model.usage import UsageTotal
from custody.store.process_times import epoch
from custody.views.usage import UsageSums

SHOWN = 12
"""How many stages that have ended are kept in sight."""
AT_WORK = "at work"
ANSWERED = "answered"
"""The answer is here, and its turn has not come."""
WAITING = "waiting"
INTERRUPTED = "interrupted"


class Row(NamedTuple):
    """One stage in sight."""

    node: str
    type: str
    state: str
    """``at work``, ``answered``, ``waiting``, ``interrupted``, or the outcome."""
    attempt: int
    since: float
    """When it was entered, in seconds from 1970."""
    elapsed: float = 0.0
    """How long it took, once it has ended."""
    detail: str = ""

    def seconds(self, now: float) -> float:
        """Return how long the stage has taken until ``now``."""
        return max(0.0, now - self.since) if self.state == AT_WORK else self.elapsed


class Progress(NamedTuple):
    """A run at one moment."""

    rows: tuple[Row, ...] = ()
    """Those that have ended first, then those at work."""
    pipeline: str = ""
    run_id: str = ""
    since: float = 0.0
    """When it began, or was taken up; 0 as long as nothing was heard of it."""
    usage: UsageTotal = UsageTotal()


class _Items(msgspec.Struct):
    """The items of a stage that works through a list."""

    ended: int = 0
    failed: int = 0
    unhandled: dict[str, set[str]] = {}
    """Failures that no edge took care of, by item."""


class Board:
    """Hears the facts of a run and keeps what is worth showing."""

    def __init__(
        self,
        *,
        ended: Callable[[Line], None] | None = None,
        changed: Callable[[Progress], None] | None = None,
    ) -> None:
        """Tell ``ended`` a line when a stage has, and ``changed`` the progress after each fact."""
        self.failures: dict[str, str] = {}
        """What the last failure of each node looked like."""
        self._ended = ended
        self._changed = changed
        self._under_way: dict[str, Row] = {}
        self._past: deque[Row] = deque(maxlen=SHOWN)
        self._lists: dict[str, _Items] = {}
        self._begun = Progress()
        self._usage = UsageSums()

    def hear(self, line: JournalLine, fact: AnyFact) -> None:
        """Take in one fact, and tell whoever shows the board."""
        if isinstance(fact, StageFailed):
            self.failures[fact.node] = fact.outcome.failure_summary
        elif isinstance(fact, StageCompleted):
            self.failures.pop(fact.node, None)
        if self._ended is None and self._changed is None:
            return
        row = self._take(line, fact)
        if self._ended is not None and (told := self._line_about(fact, row)) is not None:
            self._ended(told)
        if self._changed is not None:
            self._changed(self.progress())

    def recall(self, lines: Iterable[JournalLine]) -> None:
        """Take in what a run that is taken up has done before, and tell nobody."""
        if self._changed is not None:
            for line in lines:
                self._take(line, line.fact())

    def _take(self, line: JournalLine, fact: AnyFact) -> Row | None:
        if not self._begun.since:
            self._begun = Progress(run_id=line.run_id, since=epoch(line.ts))
        if not isinstance(fact, PipelineReplaced):  # what it sets aside was heard of before
            self._usage.add(fact)
        return self._move(line, fact)

    def progress(self) -> Progress:
        """Return what is to be shown."""
        return self._begun._replace(rows=tuple(self._rows()), usage=self._usage.total)

    def _rows(self) -> Iterator[Row]:
        yield from self._past
        for node, row in self._under_way.items():
            items = self._lists.get(node)
            yield row if items is None else row._replace(detail=_tally(items))

    def _move(self, line: JournalLine, fact: AnyFact) -> Row | None:
        """Take a fact into account; return the stage that has ended by it."""
        match fact:
            case PipelineStarted():
                self._begun = self._begun._replace(pipeline=fact.pipeline)
            case StageStarted():
                self._enter(line, fact)
            case StageRetrying():
                self._change(line, fact.node, detail=f"attempt {fact.attempt}: {_reason(fact)}")
            case AnswerArrived():
                self._change(line, fact.node, state=ANSWERED, elapsed=fact.ack.seconds)
            case StageCompleted() | StageFailed():
                return self._end(line, fact)
            case RouteChosen():
                self._route(fact)
            case RunWaiting():
                self._halt(line, INTERRUPTED)
                self._change(line, fact.node, state=WAITING)
            case RunInterrupted():
                self._halt(line, INTERRUPTED)
            case RunResumed():
                self._go_on(line)
            case PipelineReplaced():
                self._under_way.clear()
                self._lists.clear()
            case _:
                return None
        return None

    def _enter(self, line: JournalLine, fact: StageStarted) -> None:
        if fact.attempt == 1 or fact.node not in self._under_way:
            self._under_way[fact.node] = Row(
                fact.node, fact.type, AT_WORK, fact.attempt, epoch(line.ts)
            )
        else:
            self._change(line, fact.node, state=AT_WORK, attempt=fact.attempt)
        if fact.type == EACH:
            self._lists[fact.node] = _Items()

    def _change(self, line: JournalLine, node: str, **fields: Any) -> None:
        """Change a row; a resumed run may be heard from the middle of a stage on."""
        row = self._under_way.get(node) or Row(node, "", AT_WORK, 1, epoch(line.ts))
        self._under_way[node] = row._replace(**fields)

    def _end(self, line: JournalLine, fact: StageCompleted | StageFailed) -> Row:
        now = epoch(line.ts)
        row = self._under_way.pop(fact.node, None) or Row(fact.node, "", AT_WORK, 1, now)
        ended = row._replace(
            state=fact.outcome.status,
            elapsed=max(0.0, now - row.since),
            attempt=fact.attempt,
            detail=_reason(fact),
        )
        self._lists.pop(fact.node, None)
        if (place := self._item_of(fact.node)) is None:
            self._past.append(ended)
            return ended
        items, item = place
        failures = items.unhandled.setdefault(item, set())
        if isinstance(fact, StageFailed):
            failures.add(fact.node)
        else:
            failures.discard(fact.node)
        if row.type == "exit":
            self._end_item(items, item)
        return ended

    def _route(self, fact: RouteChosen) -> None:
        if (place := self._item_of(fact.node)) is None:
            return
        items, item = place
        if fact.route.by_condition:
            items.unhandled.get(item, set()).discard(fact.node)
        if not fact.route.target:
            items.unhandled.setdefault(item, set()).add(fact.node)
            self._end_item(items, item)

    def _end_item(self, items: _Items, item: str) -> None:
        items.ended += 1
        items.failed += bool(items.unhandled.pop(item, None))

    def _item_of(self, node: str) -> tuple[_Items, str] | None:
        """Return the innermost list that a stage belongs to, and the number of its item."""
        for stage in sorted(self._lists, key=len, reverse=True):
            if node.startswith(f"{stage}."):
                return self._lists[stage], node[len(stage) + 1 :].partition(".")[0]
        return None

    def _halt(self, line: JournalLine, state: str) -> None:
        now = epoch(line.ts)
        for node, row in self._under_way.items():
            if row.state == AT_WORK:
                elapsed = max(0.0, now - row.since)
                self._under_way[node] = row._replace(state=state, elapsed=elapsed)

    def _go_on(self, line: JournalLine) -> None:
        now = epoch(line.ts)
        for node, row in self._under_way.items():
            if row.state in {INTERRUPTED, WAITING}:
                self._under_way[node] = row._replace(state=AT_WORK, since=now)

    def _line_about(self, fact: AnyFact, row: Row | None) -> Line | None:
        if not fact.traits.shown_live:
            return None
        match fact:
            case StageCompleted() | StageFailed():
                return None if row is None else stage_line(row)
            case StageRetrying():
                text = f"retrying in {seconds(fact.delay)}  {_reason(fact)}"
                return Line(f"{fact.node:<16} {text}", "warn")
            case RunResumed():
                return Line(f"resumed; {count(fact.restored_count, 'workspace path')} put back")
            case PipelineReplaced():
                return Line(f"pipeline changed; {count(len(fact.reused), 'node')} kept", "warn")
            case _:
                name, node = type(fact).__name__, getattr(fact, "node", "")
                return Line(f"{node:<16} {name}  {detail(fact)}", TONES[fact.traits.level])


def stage_line(row: Row) -> Line:
    """Return a stage that has ended, on one line."""
    text = f"{row.node:<16} {row.state:<15} {seconds(row.elapsed):>7}  {row.detail}"
    return Line(text.rstrip(), tone(row.state))


def tone(state: str) -> Tone:
    """Return the colour that goes with an outcome."""
    if state == "success":
        return "good"
    if state in {"partial_success", WAITING, INTERRUPTED}:
        return "warn"
    return "bad" if state in {"fail", "retry"} else ""


def _tally(items: _Items) -> str:
    failed = f", {items.failed} of them failed" if items.failed else ""
    return f"{count(items.ended, 'item')} done{failed}"


def _reason(fact: StageCompleted | StageFailed | StageRetrying) -> str:
    outcome: Outcome = fact.outcome
    return outcome.failure_reason or outcome.notes.partition("\n")[0]
