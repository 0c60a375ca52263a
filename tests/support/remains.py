"""What a process that was killed may leave on the machine: processes and mounts.

Whoever looks becomes the parent of every process that loses its own, so none can hide: not by a
double fork, a session of its own, or an environment without a mark.
"""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from custody.supervise.descendants import children
from support.processes import is_alive

PATIENCE = 10.0
"""Seconds that a killed run has for everything to be gone."""

_SET_CHILD_SUBREAPER = 36


class Remains:
    """Sees what is left of the processes that were started while it is entered."""

    def __enter__(self) -> Self:
        self._before = set(children(os.getpid()))
        self._adopt(yes=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._adopt(yes=False)

    def processes(self) -> list[int]:
        """Return every process that was started and still runs."""
        found: list[int] = []
        waiting = [pid for pid in children(os.getpid()) if pid not in self._before]
        for pid in waiting:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        while waiting:
            pid = waiting.pop()
            waiting += children(pid)
            if is_alive(pid):
                found.append(pid)
        return found

    def trouble(self, folder: Path) -> str:
        """Wait until nothing is left, no mount of ``folder`` either; tell what stays."""
        deadline = time.monotonic() + PATIENCE
        while left := [*map(_told, self.processes()), *mounts(folder)]:
            if time.monotonic() > deadline:
                return f"left on the machine: {left}"
            time.sleep(0.005)
        return ""

    def _adopt(self, *, yes: bool) -> None:
        if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def mounts_here(folder: Path) -> list[str]:
    """Return what is mounted for this process; what other tests have in folders of theirs aside."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if "/pytest-of-" not in line or f"{folder}/" in line]


def mounts(folder: Path) -> list[str]:
    """Return every mount at or of something in ``folder``, in whatever namespace.

    Those of a sandbox nobody lists; they are there as long as its first process, which holds them.
    """
    found: set[str] = set()
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            lines = Path(f"/proc/{process}/mountinfo").read_text().splitlines()
        except OSError:
            continue  # it has ended, or belongs to somebody else
        found.update(line for line in lines if f"{folder}/" in line)
    return sorted(found)


def _told(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        command = ""
    return f"{pid} {command}"
