"""How full the private root of a sandbox is: /tmp, home and /dev/shm, all of them memory."""

from __future__ import annotations

import os

from custody.model.limits import Limit, StageLimits
from custody.supervise.limits.meter import Meter


class ScratchMeter(Meter):
    """Looks at it, from inside; what is there already does not count."""

    def __init__(self, limits: StageLimits) -> None:
        self._limits = limits
        self._root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self.device = os.fstat(self._root).st_dev
        self._before = self._used()

    def used_bytes(self) -> int:
        """Return the bytes that a line has put there."""
        return self._used()[0] - self._before[0]

    def exceeded(self) -> Limit | None:
        """Return a limit that what lies there exceeds by itself."""
        taken, files = self._used()
        if taken - self._before[0] > self._limits.memory:
            return "memory"
        return "files" if files - self._before[1] > self._limits.files else None

    def at_the_end(self) -> Limit | None:
        """Return the same: what lies there stays when all have ended."""
        return self.exceeded()

    def close(self) -> None:
        """Close the root."""
        os.close(self._root)

    def _used(self) -> tuple[int, int]:
        about = os.fstatvfs(self._root)
        return (about.f_blocks - about.f_bfree) * about.f_frsize, about.f_files - about.f_ffree
