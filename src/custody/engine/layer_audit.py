"""Checking what refused stages left in layers of the workspace."""

from __future__ import annotations

from collections.abc import Iterator

from custody.engine.verification import Mismatch
from custody.model import layout
from custody.store.history import History
from custody.workspace.contents import Contents


def check_layers(history: History, *, ended: bool) -> Iterator[Mismatch]:
    """Tell which is not as it was; of the other stages nothing is left once a run has ended."""
    run = history.run
    if not run.root.exists(layout.LAYERS):
        return
    from custody.workspace.overlay.stack import Stack

    stack = Stack(run, Contents(None))
    names = [*stack.names()]
    recorded = history.layers(names)
    for name in names:
        where = layout.layer_folder(name)
        layer = recorded.get(name)
        if layer is not None and stack.record(name) != layer:
            yield Mismatch("evidence", f"{where}/{layout.UPPER}", "it is not what the stage left")
        if ended and (layer is None or run.root.names(where) != [layout.UPPER]):
            yield Mismatch("unclaimed", where, "no line of the journal accounts for it")
