"""The librarian as a step: answers the file request of a run from its workspace."""

from __future__ import annotations

from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.contracts.context_pack import PackFailure
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.workspace.pack.librarian import make_pack


def carry_out(step: StepWork) -> Ack:
    """Write the pack, or why there is none; which of them it is, a gate judges."""
    hidden = [path for path in step.settings.get("hidden", "").split("\n") if path]
    asked = step.read("request") or b""
    made = make_pack(step.stage.workspace.root, asked, hidden=hidden)
    if isinstance(made, PackFailure):
        step.write(layout.CONTEXT_PACK_FAILURE, encode_pretty(made))
        return step.done(f"no pack: {made.message}")
    step.write(layout.CONTEXT_PACK, encode_pretty(made))
    return step.done(made.summary)
