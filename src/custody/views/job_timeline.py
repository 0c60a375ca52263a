"""``job_timeline.jsonl``: the states of a job and what was done in them, one event a line. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from msgspec import UNSET

from custody.model.event import (
    AnyFact,
    JournalLine,
    PipelineCompleted,
    PipelineFailed,
    RequestAnswered,
    StageCompleted,
    StageFailed,
    StageStarted,
)
from custody.model.process_event import RunInterrupted, RunResumed
from custody.model.record import encode
from custody.model.request import StepRequest
from custody.model.session_event import (
    SessionAckIgnored,
    SessionAttached,
    SessionClosed,
    SessionOpened,
)
from custody.model.skill import paths
from custody.model.skill.documents import TimelineEvent
from custody.model.skill.error_type import read

Level = Literal["INFO", "WARN", "ERROR"]
_ASKED = "source_script"


class _Event(NamedTuple):
    event: str
    message: str = ""
    data: dict[str, Any] | None = None
    level: Level = "INFO"


def timeline(
    job_id: str,
    line: JournalLine,
    fact: AnyFact,
    request: StepRequest | None,
    why: str,
    *,
    exits: str,
) -> bytes:
    """Return the lines of one fact; ``request`` is what its state asks for, ``why`` what failed.

    A state that asks for nothing has failed by what ``exits`` says, or by its own reason.
    """
    found = bytearray()
    for one in _events(fact, request, why, exits):
        event = TimelineEvent(
            ts=line.ts,
            job_id=job_id,
            level=one.level,
            event=one.event,
            state=line.node or UNSET,
            message=one.message or UNSET,
            data=one.data or UNSET,
        )
        found += encode(event) + b"\n"
    return bytes(found)


def _events(fact: AnyFact, request: StepRequest | None, why: str, exits: str) -> Iterator[_Event]:
    match fact:
        case StageStarted():
            if fact.attempt == 1:
                yield _Event("STATE_ENTER")
            if request is not None:
                yield from _asked(request)
        case RequestAnswered():
            if request is not None:
                yield _answered(fact, request)
        case StageCompleted() | StageFailed():
            yield _exit(fact, "" if request is not None else exits)
        case PipelineCompleted():
            yield _Event("DONE")
        case PipelineFailed():
            error, message = read(why or fact.reason)
            yield _Event("FAIL", message, {"error_type": error}, "ERROR")
        case _:
            yield from _beside(fact)


def _asked(request: StepRequest) -> Iterator[_Event]:
    """Yield what begins with a state: the others are told when it is known what came of them."""
    if request.step == "start_session":
        yield _action("start_session", {})
    if request.step == _ASKED:
        said = request.settings
        data = {
            "request_id": said["request_id"],
            "script": said["script"],
            "request": paths.source_request(said["request_id"]),
            "timeout_s": request.timeout,
        }
        yield _action("submit_request", data)


def _answered(fact: RequestAnswered, request: StepRequest) -> _Event:
    told = fact.ack.context_updates
    level: Level = "INFO" if fact.ack.status == "ok" else "ERROR"
    match request.step:
        case "source_script":
            ack = dict(told.get("job.ack") or {})
            if not ack:
                return _Event("NO_ACK", fact.ack.failure_reason, None, "ERROR")
            ack["path"] = paths.source_ack(ack["request_id"])
            ack.pop("message", None) if not ack.get("message") else None
            bad = ack.get("status") != "PASS"
            return _action("receive_ack", ack, "ERROR" if bad else level)
        case "locate_db":
            found = told.get("job.design") or {}
            data = {**(found.get("selected") or {}), "query": found.get("query", "")}
            data |= {"mode": found.get("mode", ""), "candidates": len(found.get("candidates", ()))}
            return _action("locate_db", data, "ERROR" if found.get("problem") else level)
        case "validate_outputs":
            return _action(
                "validate_outputs", {"metrics": len(told.get("job.metrics") or {})}, level
            )
        case "start_session":
            return _Event("SESSION_READY" if level == "INFO" else "SESSION_FAILED", level=level)
        case step:
            return _action(step, {}, level)


def _action(action: str, data: dict[str, Any], level: Level = "INFO") -> _Event:
    return _Event("ACTION", "", {"action": action, **data}, level)


def _exit(fact: StageCompleted | StageFailed, why: str) -> _Event:
    if isinstance(fact, StageCompleted):
        return _Event("STATE_EXIT", data={"outcome": fact.outcome.status})
    error, message = read(fact.outcome.failure_reason)
    error = read(why)[0] if why else error
    data = {"outcome": fact.outcome.status, "error_type": error}
    return _Event("STATE_EXIT", message, data, "ERROR")


def _beside(fact: AnyFact) -> Iterator[_Event]:
    """Yield what is told of the tool and of the processes at work."""
    match fact:
        case SessionOpened():
            data = {"token": fact.token, "argv": [*fact.argv], "launcher": [*fact.launcher]}
            yield _Event("SESSION_OPENED", data=data)
        case SessionAttached():
            yield _Event("SESSION_ATTACHED", data={"token": fact.token, "pid": fact.program})
        case SessionClosed():
            data = {"token": fact.token, "reason": fact.reason, "exit_code": fact.exit_code}
            yield _Event("SESSION_CLOSED", data={**data, "signal": fact.signal})
        case SessionAckIgnored():
            data = {"request_id": fact.request_id, "token": fact.token, "sha256": fact.sha256}
            yield _Event("ACK_IGNORED", "an ack that does not count", data, "WARN")
        case RunInterrupted():
            yield _Event("INTERRUPTED", fact.reason, level="WARN")
        case RunResumed():
            yield _Event("RESUMED")
