"""Programs that have outlived the process which started them, at the level that holds none.

At L1 a program can leave its supervisor, and go on when that is killed: it would change a workspace
that a resume puts in order. Programs of sessions are meant to be found again, and are no such.
"""

from __future__ import annotations

import time

from custody.errors import RunLocked
from custody.model import layout
from custody.store.history import History

PATIENCE = 2.0
"""Seconds that programs have which are being ended."""
_PAUSE = 0.05
_MARK = "XDG_CACHE_HOME"
"""Every program of a stage has it, and it leads into the run directory."""


def refuse_outlived(history: History) -> None:
    """Raise `RunLocked` while a program of the run is at work that nobody looks after."""
    chosen = history.confinement
    if chosen is None or chosen.level != "L1":
        return
    from custody.supervise.descendants import marked

    path = history.run.path
    mark, without = f"{_MARK}={path}/".encode(), f"{path}/{layout.SESSIONS}/".encode()
    deadline = time.monotonic() + PATIENCE
    while left := marked(mark, without=without):
        if time.monotonic() > deadline:
            numbers = " ".join(map(str, left))
            raise RunLocked(
                f"a program of run {history.run.run_id} has outlived what started it: {numbers}",
                where=path,
                hint=f"end it first: kill {numbers}",
            )
        time.sleep(_PAUSE)
