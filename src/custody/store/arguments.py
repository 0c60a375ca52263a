"""The arguments that this process was started with, as others can read them.

Anybody of the same machine can read them from /proc, programs at L2 too, and what is given with
``--set`` may be meant for one stage alone.
"""

from __future__ import annotations

import os

_FIRST, _END = 45, 46
"""Where the memory of the arguments begins and ends, counted from the third field of ``stat``."""


def hide_arguments(shown: int = 1) -> None:
    """Blank all but the first so many of them; where that cannot be done, they stay."""
    try:
        first, end = _place()
        memory = os.open("/proc/self/mem", os.O_RDWR | os.O_CLOEXEC)
    except (OSError, ValueError, IndexError):
        return
    try:
        words = os.pread(memory, end - first, first).split(b"\0")
        kept = len(b"\0".join(words[:shown]))
        os.pwrite(memory, bytes(end - first - kept), first + kept)
    except OSError:
        return
    finally:
        os.close(memory)


def _place() -> tuple[int, int]:
    about = os.open("/proc/self/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        # The name of the program, in brackets, may hold anything.
        fields = os.read(about, 4096).rpartition(b")")[2].split()
    finally:
        os.close(about)
    return int(fields[_FIRST]), int(fields[_END])
