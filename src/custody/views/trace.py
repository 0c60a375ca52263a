"""``trace.jsonl``: node inputs, outputs, context changes and route decisions, for debugging.

SessionInitialized   what the run was started with
ResumeLoaded         a process took the run up again
NodeInputCaptured    the request of an attempt, and the context keys it could see
NodeOutputCaptured   the outcome of an attempt, and what it changed in the context
NodeExecutionErrored the same, for an attempt that did not succeed
RouteEvaluated       every edge that was looked at, and the one taken
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from custody.model.event import (
    AnyFact,
    JournalLine,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.fact import TraceName
from custody.model.outcome import Outcome
from custody.model.record import Document, encode
from custody.model.state import State


class TraceRecord(Document, frozen=True, kw_only=True):
    """One line of ``trace.jsonl``."""

    seq: int
    """The journal line that this record was made from."""
    ts: str
    record: TraceName
    node: str | None
    data: Any


def trace_line(line: JournalLine, fact: AnyFact, before: State) -> bytes:
    """Return the trace line of one journal line, with its newline; empty when it has none.

    ``before`` is where the run stood until then.
    """
    name = fact.traits.traced_as
    if name is None:
        return b""
    data = _data_of(fact, before)
    record = TraceRecord(seq=line.seq, ts=line.ts, record=name, node=line.node, data=data)
    return encode(record) + b"\n"


def _data_of(fact: AnyFact, before: State) -> Any:
    """Return what a record says: of most facts all that they hold."""
    match fact:
        case StageStarted():
            return _input(fact, before)
        case StageCompleted() | StageFailed() | StageRetrying():
            return _output(fact, before)
        case RouteChosen():
            return fact.route
        case _:
            return fact


def _input(fact: StageStarted, before: State) -> dict[str, Any]:
    return {
        "visit": fact.visit,
        "attempt": fact.attempt,
        "request": fact.request,
        "context_keys": sorted(before.scope(fact.node).context),
        "last_failure": before.scope(fact.node).last_failure,
    }


def _output(fact: StageCompleted | StageFailed | StageRetrying, before: State) -> dict[str, Any]:
    return {
        "visit": fact.visit,
        "attempt": fact.attempt,
        "outcome": fact.outcome,
        "context_delta": _delta(fact.outcome, before.scope(fact.node).context),
    }


def _delta(outcome: Outcome, context: Mapping[str, Any]) -> dict[str, list[str]]:
    updates = outcome.context_updates
    return {
        "added": sorted(key for key in updates if key not in context),
        "updated": sorted(
            key for key, value in updates.items() if key in context and context[key] != value
        ),
        "removed": [],
    }
