"""Has the tool of a job source one script: a request goes out, and one ack is published.

The request is written to ``queue/`` once, and the same bytes are handed to the tool's own box. What
the tool answers is a claim: it counts if it is the answer to this request, of this session, and the
script is still what it was. What is published as ``ack/<id>.json``, once, is what came of it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from msgspec.structs import replace

from custody.errors import MalformedDocument
from custody.executors.jobs import SESSION, failed, faultless, utc_now
from custody.executors.jobs.mirror import Mirror, is_stopped, stopped_why
from custody.executors.jobs.printed import Printed, printed
from custody.executors.sessions import Session, SessionReply
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import decode, encode_pretty
from custody.model.request import Ack
from custody.model.skill import paths
from custody.model.skill.error_type import ErrorType, of_session
from custody.model.skill.exchange import SourceAck, SourceRequest, ToolClaim
from custody.model.skill.job import JobStart
from custody.skills.claims import Patterns, Told, judged, last_error
from custody.skills.tools import TOOLS
from custody.store.mailbox import Box


@faultless
def carry_out(step: StepWork) -> Ack:
    """Publish the request, unless an earlier process has, and wait for the tool."""
    session = _session(step)
    if is_stopped(step.stage.run.root):
        return _ended(step, session, SessionReply("failed", reason="session_stopped"))
    if session is None:
        return _ended(step, None, SessionReply("failed", reason="session_dead: it is gone"))
    data, key = _published(step), step.settings["request_id"]
    reply = session.ask(step.request, data, step.stage, key=key, again=False)
    return _ended(step, session, reply)


def recover(step: StepWork) -> Ack | None:
    """Take what the tool has done meanwhile, or wait for it; None when it was never asked."""
    session, key = _session(step), step.settings["request_id"]
    if session is None or is_stopped(step.stage.run.root):
        return None
    reply = session.recover(step.request, step.stage, key=key, again=False)
    return None if reply is None else _ended(step, session, reply)


def _session(step: StepWork) -> Session | None:
    """Return the tool's session, watched for the files that people look at."""
    session = step.session_named(SESSION)
    if session is not None:
        mirror = Mirror(step.stage.run.root, step.settings["tool"], lambda: session.generation)
        session.watched_by(mirror.see)
    return session


def _published(step: StepWork) -> bytes:
    """Return the request as it stands in ``queue/``: written now, or by an earlier process."""
    said, box = step.settings, Box(step.stage.run.root, layout.QUEUE, ".json")
    request = SourceRequest(
        request_id=said["request_id"],
        job_id=said["job_id"],
        script=said["script"],
        timeout_s=step.request.timeout,
        created_at=utc_now(),
        script_sha256=said["script_sha256"],
    )
    data = encode_pretty(request)
    if box.put(request.request_id, data):
        return data
    there = box.get(request.request_id) or b""
    known = decode(there, SourceRequest, where=paths.source_request(request.request_id))
    if replace(known, created_at="", timeout_s=0) != replace(request, created_at="", timeout_s=0):
        where = paths.source_request(request.request_id)
        raise MalformedDocument("exists", "another request stands there", where=where)
    return there


def _ended(step: StepWork, session: Session | None, reply: SessionReply) -> Ack:
    """Publish the one ack, and return what there is to judge."""
    key = step.settings["request_id"]
    generation = None if session is None else session.generation
    log = Printed(b"", b"")
    if generation is not None:
        marked = TOOLS[step.settings["tool"]].marked
        asked = Box(step.stage.run.root, layout.QUEUE, ".json").keys()
        after = max((one for one in asked if one < key), default="")
        log = printed(generation, key, wait=reply.status == "ok", marked=marked, after=after)
    kept = [
        step.stage.folder.write(name, data)
        for name, data in zip(layout.streams(SESSION), log, strict=True)
    ]
    told = _told(step, reply, log)
    if session is not None:
        session.accept(key, reply.data if reply.status == "ok" else b"", step.stage)
    ack = _publish(step, reply, told, kept)
    evidence = (*step.wrote, *reply.evidence, *kept)
    done = replace(
        step.done(), evidence=evidence, seconds=reply.seconds, context_updates={"job.ack": ack}
    )
    if reply.status == "ok" and told.code != "script":
        return done
    status = "timeout" if reply.status == "timeout" else "failed"
    again = failed(step, told.error_type, told.message, reply.summary)
    return replace(
        done,
        status=status,
        failure_reason=again.failure_reason,
        failure_summary=again.failure_summary,
    )


def _told(step: StepWork, reply: SessionReply, log: Printed) -> Told:
    """Return what is wrong with the request, as far as it can be said by now."""
    if reply.reason.startswith("session_ack_refused"):
        why = reply.reason.partition(": ")[2]
        return Told("forged", "CMD_FAIL", f"security violation: {why}")
    if reply.status != "ok":
        return _given_up(step, reply, log)
    path, said = step.settings["script"], step.settings
    if _digest(step.stage.run.root.read(path)) != said["script_sha256"]:
        what = f"security violation: {path} is not what it was when it was sourced"
        return Told("script", "CMD_FAIL", what)
    return judged(
        said["request_id"],
        reply.data,
        log,
        _patterns(step),
        restores=bool(said["restores"]),
        marked=TOOLS[said["tool"]].marked,
    )


def _patterns(step: StepWork) -> Patterns:
    job = decode(step.read("job") or b"", JobStart, where=layout.JOB)
    return Patterns(job.error_patterns, job.ignore_patterns)


def _given_up(step: StepWork, reply: SessionReply, log: Printed) -> Told:
    """Return what it means that the tool has given no ack."""
    tool, how = step.settings["tool"], reply.reason.partition(": ")[2]
    error: ErrorType = of_session(reply.reason)
    if error == "INTERNAL_ERROR":
        return Told("stopped", error, stopped_why(step.stage.run.root))
    if error == "INNOVUS_CRASH":
        message = _crashed(tool, how, last_error(log, _patterns(step)))
    elif error == "HEARTBEAT_LOST":
        message = f"{tool} is not heard of any more: {_SILENT.get(how, how or 'nobody can look')}"
    elif how == "unclaimed":
        message = f"{tool} lives, and has not taken up the request"
    else:
        message = f"no ack within {step.request.timeout:g} s: give it more by --timeout"
    return Told("given_up", error, message)


def _crashed(tool: str, how: str, said: str) -> str:
    """Return that a tool has ended by itself: how, and what it said last of an error."""
    if how == "output_limit":
        how = f"it printed more than `output` of [skills.tools.{tool}] lets it"
    told = f"{tool} has ended: {how or 'nobody knows how'}"
    return f"{told}: {said}" if said else told


_SILENT = {
    "stopped": "its process is stopped",
    "silent": "its heartbeat is stale, and it does nothing",
}
"""What is said of a program that is hung."""


def _publish(
    step: StepWork, reply: SessionReply, told: Told, kept: list[Evidence]
) -> dict[str, str]:
    """Write the final ack, unless there is one, and keep both files; return what it says."""
    said, root = step.settings, step.stage.run.root
    queue, acks = (Box(root, folder, ".json") for folder in (layout.QUEUE, layout.ACK))
    key = said["request_id"]
    asked = queue.get(key)
    if asked is None:
        return {}
    step.keep(paths.source_request(key), asked)
    times = _times(reply)
    ack = SourceAck(
        request_id=key,
        job_id=said["job_id"],
        status="FAIL" if told.code else "PASS",
        error_type=told.error_type,
        message=told.message,
        evidence_paths=tuple(item.path for item in kept),
        **times,
    )
    acks.put(key, step.stage.folder.clean(encode_pretty(ack)))
    there = acks.get(key) or b""
    step.keep(paths.source_ack(key), there)
    final = decode(there, SourceAck, where=paths.source_ack(key))
    return {
        "request_id": key,
        "status": final.status,
        "error_type": final.error_type,
        "message": final.message,
    }


def _times(reply: SessionReply) -> dict[str, Any]:
    """Return what the tool says of when it worked; nothing where it does not say it."""
    try:
        claim = decode(reply.data, ToolClaim, where=layout.ACK)
    except MalformedDocument:
        return {}
    return {
        name: value
        for name in ("started_at", "finished_at", "duration_ms")
        if (value := getattr(claim, name))
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
