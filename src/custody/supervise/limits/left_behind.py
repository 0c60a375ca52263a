"""What a line keeps in System V memory and queues, which need no process to be there.

Segments that a process has attached count as its memory, as far as it has touched them.
"""

from __future__ import annotations

from collections.abc import Iterator

from custody.model.limits import Limit, StageLimits
from custody.supervise.descendants import read
from custody.supervise.limits.meter import Meter


class LeftBehindMeter(Meter):
    """Looks at those of this process's namespace."""

    def __init__(self, limits: StageLimits, *, proc: str) -> None:
        self._limits = limits
        self._proc = proc
        self.memory = 0
        """Their bytes, when they were last looked at."""

    def exceeded(self) -> Limit | None:
        """Return a limit that they exceed by themselves."""
        segments = self._table("shm")
        free = sum(one["rss"] + one["swap"] for one in segments if not one["nattch"])
        self.memory = free + sum(one["cbytes"] for one in self._table("msg"))
        return "memory" if self.memory > self._limits.memory else None

    def _table(self, name: str) -> Iterator[dict[str, int]]:
        """Yield the rows of a table, whose first line names the columns; none where there is none.

        A kernel may be built without any of them.
        """
        try:
            first, *lines = read(f"{self._proc}/sysvipc/{name}").decode().splitlines()
        except (OSError, ValueError):
            return
        for line in lines:
            yield dict(zip(first.split(), map(int, line.split()), strict=True))
