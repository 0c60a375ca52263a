"""Looks for the design of a job, and writes the one script that may source it."""

from __future__ import annotations

import msgspec

from custody.executors.jobs import faultless
from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.skills.locator import locate
from custody.skills.scripts import restore_wrapper


@faultless
def carry_out(step: StepWork) -> Ack:
    """Write what was found; whether it is enough, a gate judges."""
    said = step.settings
    found = locate(said["design"], said["cwd"], int(said["select"] or 0))
    if found.selected is not None:
        try:
            script = restore_wrapper(found.selected.enc_path)
            step.write(layout.RESTORE_WRAPPER, script.encode())
        except ValueError as error:
            found = msgspec.structs.replace(found, selected=None, problem=str(error))
    step.write(layout.JOB_DESIGN, encode_pretty(found))
    told = {"job.design": msgspec.to_builtins(found)}
    notes = found.problem or (found.selected.enc_path if found.selected else "")
    return msgspec.structs.replace(step.done(notes), context_updates=told)
