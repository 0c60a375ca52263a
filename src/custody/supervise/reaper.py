"""The process between the runtime and its server: it sees to it that nothing outlives the server.

A server ends what it has started; a reaper does so for a server that was killed itself. It is
a child subreaper as well, so whatever a dead server leaves becomes its child. It holds the
server's way to the runtime open until nothing is left: a server is known to be lost only when
everything that it started is gone. A reaper that is killed is missed by its server, which then
ends everything, and itself.
"""

from __future__ import annotations

import os
import time
from typing import NoReturn

from custody.sandbox import kernel
from custody.supervise.descendants import children, send_end
from custody.supervise.detach import close_all_but

PATIENCE = 5.0
"""Seconds after which a process that survives SIGKILL is given up."""

_SET_CHILD_SUBREAPER = 36


def go_on_guarded(replies: int) -> int:
    """Go on as a child that is guarded by the process that calls; its parent never returns.

    Returns a descriptor that becomes readable when the reaper is gone. The caller must have a
    single thread.
    """
    become_subreaper()
    watched, held = os.pipe()
    kept = os.fork()
    if kept:
        _guard(kept, {held, replies})
    os.close(held)
    os.setsid()
    become_subreaper()
    return watched


def become_subreaper() -> None:
    """Become the parent of every descendant that loses its own."""
    kernel.prctl(_SET_CHILD_SUBREAPER, 1)


def _guard(kept: int, needed: set[int]) -> NoReturn:
    try:
        close_all_but(needed)
        while os.waitpid(-1, 0)[0] != kept:
            pass
        _end_children()
    finally:
        os._exit(0)


def _end_children() -> None:
    """Kill what is left; the children of what was killed come next."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for child in children(os.getpid()):
            send_end(child, kill=True)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)
