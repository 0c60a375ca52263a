"""Looks at what a line takes, a few times a second, and says when it was too much.

Looking costs something, and the more a line has started and written the more: between two looks
of a kind lies at least ten times what the last one took. Each kind has a time of its own, so that
one that has become slow holds up no other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

from custody.model.limits import Holder, Limit, StageLimits
from custody.sandbox.confinement import Confinement
from custody.supervise.limits.cgroup import ControlGroup
from custody.supervise.limits.left_behind import LeftBehindMeter
from custody.supervise.limits.meter import Meter
from custody.supervise.limits.nameless import NamelessMeter, memory_device
from custody.supervise.limits.processes import ProcessMeter
from custody.supervise.limits.scratch import ScratchMeter
from custody.supervise.limits.written import WrittenMeter

FIRST_LOOK, LONGEST_PAUSE = 0.05, 0.25
"""Seconds; the pause doubles from the one to the other."""
COST_SHARE = 10


class _Timed:
    """A meter, and when it is looked at next."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.next = time.monotonic() + FIRST_LOOK
        self._pause = FIRST_LOOK

    def look(self) -> Limit | None:
        started = time.monotonic()
        if started < self.next:
            return None
        found = self.meter.exceeded()
        ended = time.monotonic()
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self.next = ended + max(self._pause, COST_SHARE * (ended - started))
        return found


class LimitWatch:
    """Watches over one line."""

    def __init__(self, limits: StageLimits, meters: tuple[Meter, ...] = ()) -> None:
        self._limits = limits
        self._timed = [_Timed(meter) for meter in meters]
        self.exceeded = ""
        """Which limit was exceeded, as ``memory (4G)``; empty while none is."""
        memory_device()  # a server has its first watch before it moves in

    def pause(self, seconds: float | None) -> float | None:
        """Return how long to wait at most, when there was nothing else to do for so long."""
        if self.exceeded or not self._timed:
            return seconds
        left = max(0.0, min(timed.next for timed in self._timed) - time.monotonic())
        return left if seconds is None else min(left, seconds)

    def look(self) -> bool:
        """Look at what it is time for; tell whether a limit was found exceeded just now."""
        if self.exceeded:
            return False
        self._note(next(filter(None, (timed.look() for timed in self._timed)), None))
        return bool(self.exceeded)

    def finish(self) -> str:
        """Look at what is left when every process has ended; return what was exceeded."""
        if not self.exceeded:
            found = (timed.meter.at_the_end() for timed in self._timed)
            self._note(next(filter(None, found), None))
        return self.exceeded

    def close(self) -> None:
        """Let go of what was looked at."""
        for timed in self._timed:
            timed.meter.close()

    def _note(self, limit: Limit | None) -> None:
        self.exceeded = self._limits.told(limit) if limit else ""


def watch_outside(
    confinement: Confinement | None,
    group: ControlGroup | None = None,
    held: Callable[[], Iterable[os.stat_result]] = tuple,
) -> LimitWatch:
    """Return the watch of the server outside: all of it, unless there is one inside.

    ``held`` tells of files without a name that the server holds for the line.
    """
    if confinement is None:
        return LimitWatch(StageLimits())
    limits, layers = confinement.limits, confinement.layers
    shared = (confinement.cache, *confinement.writable)
    if layers is None:
        shared = (confinement.workspace, *shared)
    written = WrittenMeter(limits, layers.upper if layers else "", tuple(filter(None, shared)))
    meters: tuple[Meter, ...] = (group, written) if group else (written,)
    if confinement.level != "L3":
        nameless = NamelessMeter(limits, held=held)
        meters = (*meters, nameless, ProcessMeter(limits, lambda: nameless.memory))
    return LimitWatch(limits, meters)


def watch_inside(confinement: Confinement, proc: str) -> LimitWatch:
    """Return the watch of the first process of a sandbox, to whom ``proc`` shows all the others."""
    limits = confinement.limits
    scratch = ScratchMeter(limits)
    nameless = NamelessMeter(limits, ignored=scratch.device, proc=proc)
    left = LeftBehindMeter(limits, proc=proc)
    processes = ProcessMeter(
        limits, lambda: nameless.memory + scratch.used_bytes() + left.memory, proc=proc
    )
    return LimitWatch(limits, (scratch, nameless, left, processes))


def holders(level: str, *, is_root: bool, grouped: bool) -> dict[Limit, Holder]:
    """Return what holds each limit."""
    alone: Holder = "rlimit" if level == "L3" and not is_root else "watcher"
    return {
        "processes": "cgroup" if grouped else alone,
        "memory": "cgroup" if grouped else "watcher",
        "open_files": "rlimit",
        "file_size": "watcher",
        "written": "watcher",
        "files": "watcher",
    }
