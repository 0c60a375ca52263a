"""The librarian as a step: answers the file request of a run from its workspace."""

from __future__ import annotations

import os
from collections.abc import Iterable

from custody.executors.steps import StepWork
from custody.model import layout
from custody.model.contracts.context_pack import PackFailure
from custody.model.record import encode_pretty
from custody.model.request import Ack
from custody.workspace.pack.librarian import Suggest, make_pack
from custody.workspace.pack.request import Suggestion


def carry_out(step: StepWork) -> Ack:
    """Write the pack, or why there is none; which of them it is, a gate judges."""
    hidden = [path for path in step.settings.get("hidden", "").split("\n") if path]
    asked = step.read("request") or b""
    name = os.path.basename(os.path.normpath(step.source)) if step.source else ""
    made = make_pack(
        step.stage.workspace.root, asked, name=name, hidden=hidden, suggest=_suggest(step)
    )
    if isinstance(made, PackFailure):
        step.write(layout.CONTEXT_PACK_FAILURE, encode_pretty(made))
        return step.done(f"no pack: {made.message}")
    step.write(layout.CONTEXT_PACK, encode_pretty(made))
    return step.done(made.summary)


def _suggest(step: StepWork) -> Suggest | None:
    """Return who suggests lines: the user's own index, where the node names its digest."""
    digest = step.settings.get("index", "")

    def found(text: str) -> Iterable[Suggestion]:
        from custody.seek.suggest import suggested

        return suggested(text, digest, os.environ)

    return Suggest(digest, found) if digest else None
