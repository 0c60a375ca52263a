"""Starts the tool of a job, which stays until the job ends."""

from __future__ import annotations

import os

from custody.errors import MalformedDocument, UsageError
from custody.executors.jobs import failed, faultless
from custody.executors.jobs.kind import tool_kind
from custody.executors.jobs.mirror import Mirror, is_stopped, stopped_why
from custody.executors.sessions import Session
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import decode
from custody.model.request import Ack
from custody.model.session import SessionKind
from custody.model.skill.job import JobStart, Located
from custody.skills.claims import LINE_LIMIT, Patterns, last_error


@faultless
def carry_out(step: StepWork) -> Ack:
    """Open the session, or go on with the one that an earlier process has opened."""
    job = decode(step.read("job") or b"", JobStart, where=layout.JOB)
    located = decode(step.read("design") or b"", Located, where=layout.JOB_DESIGN)
    root = step.stage.run.root
    if is_stopped(root):
        return failed(step, "INTERNAL_ERROR", stopped_why(root))
    if located.selected is None:
        return failed(step, "INTERNAL_ERROR", "there is no design")
    try:
        kind = tool_kind(job, located.selected, step.stage.run.path, os.environ)
    except (UsageError, MalformedDocument) as error:
        return failed(step, "SESSION_START_FAIL", str(error))
    session = step.session(kind)
    mirror = Mirror(root, job.tool, lambda: session.generation)
    session.watched_by(mirror.see)
    reply = session.open(step.stage)
    if session.generation is not None:
        mirror.link(session.generation)
    if is_stopped(root):
        return failed(step, "INTERNAL_ERROR", stopped_why(root))
    if reply.status != "ok":
        why = reply.reason.removeprefix("session_start_failed: ")
        what = ": ".join(filter(None, (job.tool, why, _said(session, job, kind))))
        return failed(step, "SESSION_START_FAIL", what, reply.summary)
    return step.done(f"{job.tool} is ready")


def _said(session: Session, job: JobStart, kind: SessionKind) -> str:
    """Return the last error that the tool has printed, or else what its launcher said last."""
    if session.generation is None:
        return ""
    log = session.generation.printed()
    said = last_error(log, Patterns(job.error_patterns, job.ignore_patterns))
    if said or not kind.launcher:
        return said
    lines = session.generation.log().decode(errors="replace").split("\n")
    return next((line.strip()[:LINE_LIMIT] for line in reversed(lines) if line.strip()), "")
