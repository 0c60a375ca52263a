"""A run as it goes on: which stage is at work, and how the others ended.

The board is changed only by facts that are durable. What it shows is a tuple of values, so
that another thread can draw it at any time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from custody.cli.render.journal import TONES, detail
from custody.cli.render.table import count, seconds
from custody.cli.result import Line, Tone
from custody.model.event import (
    AnyFact,
    JournalLine,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.outcome import Outcome
from custody.model.process_event import PipelineReplaced, RunResumed

SHOWN = 12
"""How many stages are kept in sight."""
AT_WORK = "at work"


class Row(NamedTuple):
    """One stage in sight."""

    node: str
    type: str
    state: str
    """``at work``, or the outcome."""
    attempt: int
    since: float
    """When it was entered, on a clock that only goes forward."""
    elapsed: float = 0.0
    """How long it took, once it has ended."""
    detail: str = ""

    def seconds(self, now: float) -> float:
        """Return how long the stage has taken until ``now``."""
        return now - self.since if self.state == AT_WORK else self.elapsed


class Board:
    """Hears the facts of a run and keeps what is worth showing."""

    def __init__(
        self,
        *,
        ended: Callable[[Line], None] | None = None,
        changed: Callable[[tuple[Row, ...]], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failures: dict[str, str] = {}
        """What the last failure of each node looked like."""
        self._rows: deque[Row] = deque(maxlen=SHOWN)
        self._ended = ended
        self._changed = changed
        self._clock = clock

    def hear(self, _line: JournalLine, fact: AnyFact) -> None:
        """Take in one fact, and tell whoever shows the board."""
        self._move(fact)
        if self._ended is not None and (line := self._line_about(fact)) is not None:
            self._ended(line)
        if self._changed is not None:
            self._changed(tuple(self._rows))

    def _move(self, fact: AnyFact) -> None:
        match fact:
            case StageStarted(attempt=1):
                self._rows.append(Row(fact.node, fact.type, AT_WORK, 1, self._clock()))
            case StageStarted():
                self._rows[-1] = self._current(fact.node)._replace(attempt=fact.attempt)
            case StageRetrying():
                detail = f"attempt {fact.attempt}: {_reason(fact.outcome)}"
                self._rows[-1] = self._current(fact.node)._replace(detail=detail)
            case StageCompleted() | StageFailed():
                self._end(fact)

    def _current(self, node: str) -> Row:
        """Return the last row; a resumed run may be heard from the middle of a stage on."""
        if not self._rows or self._rows[-1].node != node or self._rows[-1].state != AT_WORK:
            self._rows.append(Row(node, "", AT_WORK, 1, self._clock()))
        return self._rows[-1]

    def _end(self, fact: StageCompleted | StageFailed) -> None:
        row = self._current(fact.node)
        self._rows[-1] = row._replace(
            state=fact.outcome.status,
            elapsed=self._clock() - row.since,
            detail=_reason(fact.outcome),
        )
        if isinstance(fact, StageFailed):
            self.failures[fact.node] = fact.outcome.failure_summary
        else:
            self.failures.pop(fact.node, None)

    def _line_about(self, fact: AnyFact) -> Line | None:
        if not fact.traits.shown_live:
            return None
        match fact:
            case StageCompleted() | StageFailed():
                return stage_line(self._rows[-1])
            case StageRetrying():
                text = f"retrying in {seconds(fact.delay)}  {_reason(fact.outcome)}"
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
    if state == "partial_success":
        return "warn"
    return "bad" if state in {"fail", "retry"} else ""


def _reason(outcome: Outcome) -> str:
    return outcome.failure_reason or outcome.notes.partition("\n")[0]
