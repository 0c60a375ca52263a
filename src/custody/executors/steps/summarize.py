"""Ends the tool of a job and keeps what explains how it went: whether the job has failed or not."""

from __future__ import annotations

from msgspec.structs import replace

from custody.executors.jobs import SESSION, faultless
from custody.executors.jobs.mirror import Mirror
from custody.executors.jobs.reports import inventory, vouched_for
from custody.executors.sessions.generation import Generation
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.model.skill import paths
from custody.model.skill.documents import Inventory

TAIL_LINES = 2000
TAIL_BYTES = 1 << 20


@faultless
def carry_out(step: StepWork) -> Ack:
    """End the session, and write what is left of it and of the reports."""
    session = step.session_named(SESSION)
    if session is not None:
        session.leave("run_ended", step.stage.tell)
        if session.generation is not None:
            _keep(step, session.generation)
    files, more = inventory(step.stage.run.root)
    step.write(layout.JOB_INVENTORY, encode_pretty(Inventory(files=files, more=more)))
    done = step.done("the tool has ended" if session else "")
    if step.settings.get("validated"):
        return done  # what was judged is vouched for as it was then
    return replace(done, evidence=(*done.evidence, *vouched_for(files)))


def _keep(step: StepWork, generation: Generation) -> None:
    """Write the ends of the logs, and how the tool was last seen."""
    tool, root = step.settings["tool"], step.stage.run.root
    state = Mirror(root, tool, lambda: generation).ended(generation)
    step.write(layout.JOB_STATE, encode_pretty(state))
    logs = (generation.log(), *generation.printed())
    for path, data in zip((layout.JOB_SUPERVISOR_LOG, *paths.job_streams(tool)), logs, strict=True):
        step.write(path, tail(data))


def tail(data: bytes) -> bytes:
    """Return the last lines of a log."""
    lines = data[-TAIL_BYTES:].splitlines(keepends=True)
    return b"".join(lines[-TAIL_LINES:])
