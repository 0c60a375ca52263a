"""How much the programs of one stage may take, and what says so when it was too much."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record
from custody.patterns import later

Limit = Literal["processes", "memory", "open_files", "file_size", "written", "files"]
Holder = Literal["cgroup", "rlimit", "watcher"]
"""What keeps a limit: the kernel at once, or whoever looks a few times a second."""

LIMITS: tuple[Limit, ...] = (
    "processes", "memory", "open_files", "file_size", "written", "files",
)  # fmt: skip
"""Those that a pipeline can set."""
SIZES: frozenset[Limit] = frozenset({"memory", "file_size", "written"})
"""Those that are bytes."""
LIMIT_EXCEEDED = "limit_exceeded"
"""How the reason begins for which an attempt failed that took too much."""
PREFIX = "limits."
"""Of their attributes."""

MIB = 1 << 20
GIB = 1 << 30

_SIZE = later(r"([0-9]{1,15})([KMGT])?")
_UNITS = {"T": 1 << 40, "G": GIB, "M": MIB, "K": 1 << 10}


class StageLimits(Record, frozen=True):
    """One limit each; what is not said has a default that a laptop survives."""

    processes: int = 2048
    """Processes and threads at the same time."""
    memory: int = 4 * GIB
    """Bytes of all processes together, and of what lies in their private /tmp."""
    open_files: int = 65_536
    """Descriptors of all processes together."""
    file_size: int = 8 * GIB
    """Bytes that one file takes on the disk; a hole in it takes none."""
    written: int = 16 * GIB
    """Bytes on the disk of everything that was written."""
    files: int = 500_000
    """Files and folders that were written."""

    def told(self, limit: Limit) -> str:
        """Return a limit by name and value, as ``memory (4G)``."""
        value: int = getattr(self, limit)
        return f"{limit} ({size_text(value) if limit in SIZES else value})"


def parse_size(text: str) -> int:
    """Read ``4G``, ``512M``, ``64K``, ``1T`` or bare bytes; else `ValueError`."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no size")
    number, unit = match.groups()
    return int(number) * _UNITS.get(unit, 1)


def size_text(size: int) -> str:
    """Return a size as it is written: by the largest unit that is exact."""
    for unit, count in _UNITS.items():
        if size and size % count == 0:
            return f"{size // count}{unit}"
    return str(size)
