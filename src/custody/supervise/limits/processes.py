"""What the processes of a line take at this moment, as the kernel tells it below /proc."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from custody.model.limits import Limit, StageLimits
from custody.supervise.descendants import descendants, read
from custody.supervise.limits.meter import Meter

FIRST = 1
PROC = "/proc"
_KIB = 1024
_TABLES = b"VmPTE"


class InUse(NamedTuple):
    """What some processes take together."""

    tasks: int = 0
    """Processes and threads, those included that have ended and were not waited for."""
    memory: int = 0
    """Bytes that no file on a disk could give back, and the kernel's tables of where all of it is;
    what is shared counts for each who has it."""
    descriptors: int = 0

    def plus(self, other: InUse) -> InUse:
        """Return both together."""
        return InUse(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class ProcessMeter(Meter):
    """Looks at the processes of a line."""

    def __init__(
        self, limits: StageLimits, also: Callable[[], int] = lambda: 0, *, proc: str = PROC
    ) -> None:
        """``also`` tells of memory that they hold and that is no part of any of them."""
        self._limits = limits
        self._also = also
        self._proc = proc

    def exceeded(self) -> Limit | None:
        """Return a limit that is exceeded now."""
        found = [f"{self._proc}/{process}" for process in members(self._proc)]
        usage = InUse()
        for process in found:
            usage = usage.plus(usage_of(process))
        if usage.tasks > self._limits.processes:
            return "processes"
        if usage.descriptors > self._limits.open_files:
            return "open_files"
        left = self._limits.memory - self._also()
        # What processes share was counted for each of them; to share it out takes longer.
        if usage.memory > left and sum(map(proportional_memory, found)) > left:
            return "memory"
        return None


def members(proc: str = PROC) -> list[int]:
    """Return the processes of the line that this server runs.

    The first process of a sandbox sees all of them, and nobody else's, in a ``proc`` that hides
    none. A server without one goes from its children on, from whom nobody can get away: see
    `custody.supervise.server`.
    """
    if os.getpid() == FIRST:
        return [int(name) for name in os.listdir(proc) if name.isdigit() and name != "1"]
    return descendants(os.getpid())


def usage_of(process: str) -> InUse:
    """Return what the process of a folder of /proc takes; one that is gone takes nothing."""
    try:
        status = fields(read(f"{process}/status"))
        # The size of this folder is how many there are, since Linux 6.2.
        descriptors = os.stat(f"{process}/fd").st_size or _count(process)
    except OSError:
        return InUse()
    memory = sum(status.get(name, 0) for name in (b"RssAnon", b"RssShmem", b"VmSwap", _TABLES))
    return InUse(max(1, status.get(b"Threads", 1)), memory * _KIB, descriptors)


def proportional_memory(process: str) -> int:
    """Return the bytes of such a process, each divided by how many share it."""
    try:
        rollup = fields(read(f"{process}/smaps_rollup")) | fields(read(f"{process}/status"))
    except OSError:
        return usage_of(process).memory  # it lets nobody look at it, so it counts in full
    names = (b"Pss_Anon", b"Pss_Shmem", b"SwapPss", _TABLES)
    return sum(rollup.get(name, 0) for name in names) * _KIB


def fields(text: bytes) -> dict[bytes, int]:
    """Return the numbers of lines such as ``Threads:  3``."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.partition(b":")
        first = value.split(None, 1)[:1]
        if first and first[0].isdigit():
            found[name] = int(first[0])
    return found


def _count(process: str) -> int:
    try:
        return len(os.listdir(f"{process}/fd"))
    except PermissionError:
        return 0
