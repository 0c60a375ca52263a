"""How far a change time can be trusted.

Only the kernel sets it, so a file that is changed has another one, unless it is changed twice
within one step of the clock: then both changes bear the same.
"""

from __future__ import annotations

import os

CLOCK_STEP = 20_000_000
"""Nanoseconds in which two changes may bear the same time: a few ticks of the kernel's clock."""
COARSE_STEP = 2_000_000_000
"""The same where the file system counts whole seconds only."""
_SECOND = 1_000_000_000


def is_young(changed: int, looked: int) -> bool:
    """Whether a file may be changed after ``looked`` and still bear the time it bears now."""
    return looked - changed <= (CLOCK_STEP if changed % _SECOND else COARSE_STEP)


def clock_of(directory: int) -> int | None:
    """Return the file system's own time; None where it lets anybody set a change time.

    The directory's other times are those of now afterwards.
    """
    os.utime(directory, ns=(0, 0))
    now = os.fstat(directory).st_ctime_ns
    os.utime(directory)
    return now if now > _SECOND else None
