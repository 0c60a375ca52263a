"""What a line keeps in files that have no name: memory files, and what was removed while open.

No folder shows them, so they are looked for where they are open. A process that lets nobody look at
it is passed over; so is what it has mapped and closed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from custody.model.limits import Limit, StageLimits
from custody.supervise.limits.meter import Meter
from custody.supervise.limits.processes import PROC, members

_BLOCK = 512


class NamelessMeter(Meter):
    """Looks for such files, in the descriptors of every process."""

    def __init__(
        self,
        limits: StageLimits,
        ignored: int = 0,
        *,
        held: Callable[[], Iterable[os.stat_result]] = tuple,
        proc: str = PROC,
    ) -> None:
        """Files of the device ``ignored`` are counted by others; those ``held`` count as well."""
        self._limits = limits
        self._held = held
        self._ignored = ignored
        self._proc = proc
        self.memory = 0
        """Bytes of those that are memory, when they were last looked for."""

    def exceeded(self) -> Limit | None:
        """Return a limit that they exceed by themselves."""
        seen = (*self._held(), *nameless(members(self._proc), self._proc))
        found = {(one.st_dev, one.st_ino): one.st_blocks * _BLOCK for one in seen}
        in_memory = memory_device()
        self.memory = sum(size for (at, _), size in found.items() if at == in_memory)
        apart = (in_memory, self._ignored)
        disk = sum(size for (at, _), size in found.items() if at not in apart)
        if self.memory > self._limits.memory:
            return "memory"
        return "written" if disk > self._limits.written else None


@cache
def memory_device() -> int:
    """Return the device on which the kernel keeps memory files.

    It is remembered: a process that moves into a sandbox may have none there.
    """
    file = os.memfd_create("device")
    try:
        return os.fstat(file).st_dev
    finally:
        os.close(file)


def nameless(processes: Iterable[int], proc: str = PROC) -> Iterator[os.stat_result]:
    """Yield the files that processes have open and that no folder has."""
    for process in processes:
        for number in _descriptors(f"{proc}/{process}"):
            try:
                found = os.stat(f"{proc}/{process}/fd/{number}")
            except OSError:
                continue  # it was closed meanwhile
            if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                yield found


def _descriptors(process: str) -> list[str]:
    try:
        return os.listdir(f"{process}/fd")
    except OSError:
        return []
