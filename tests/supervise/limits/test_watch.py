"""Every meter is looked at in its own time, and the first limit that is exceeded is told."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import pytest

from custody.model.limits import LIMITS, Limit, StageLimits
from custody.sandbox.confinement import Confinement
from custody.supervise.limits import watch as watch_module
from custody.supervise.limits.meter import Meter
from custody.supervise.limits.watch import (
    FIRST_LOOK,
    LONGEST_PAUSE,
    LimitWatch,
    holders,
    watch_outside,
)
from support.sandboxes import CONFINED, Site

pytestmark = pytest.mark.req("G-09")


class Clock:
    """Time that passes while somebody sleeps, and at no other moment."""

    def __init__(self) -> None:
        self._now = 1000.0

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return the only clock that a watch looks at: no other program takes time from it."""
    clock = Clock()
    monkeypatch.setattr(watch_module, "time", clock)
    return clock


class Told(Meter):
    """A meter that says what it is told to say, at once unless ``takes`` lets time pass."""

    def __init__(
        self,
        *answers: Limit | None,
        end: Limit | None = None,
        takes: Callable[[], None] = lambda: None,
    ) -> None:
        self._answers = list(answers)
        self._end = end
        self._takes = takes
        self.looks = 0

    def exceeded(self) -> Limit | None:
        self.looks += 1
        self._takes()
        return self._answers.pop(0) if self._answers else None

    def at_the_end(self) -> Limit | None:
        return self._end


def look_for(watch: LimitWatch, seconds: float, clock: Clock) -> bool:
    """Look whenever it is time; tell whether something was found."""
    until = clock.monotonic() + seconds
    while clock.monotonic() < until:
        if watch.look():
            return True
        clock.sleep(min(watch.pause(None) or 0.0, max(0.0, until - clock.monotonic())))
    return False


def test_without_a_meter_nobody_is_woken() -> None:
    watch = LimitWatch(StageLimits())
    assert watch.pause(None) is None
    assert not watch.look()
    assert watch.finish() == ""


def test_a_limit_is_told_once(clock: Clock) -> None:
    watch = LimitWatch(StageLimits(files=5), (Told(None, "files"), Told()))
    pause = watch.pause(None)
    assert pause is not None
    assert 0 <= pause <= FIRST_LOOK
    assert watch.pause(0.001) == 0.001
    assert not watch.look(), "it is too early"
    assert look_for(watch, 5, clock)
    assert watch.exceeded == "files (5)"
    assert not watch.look()
    assert watch.pause(None) is None
    assert watch.finish() == "files (5)"


def test_what_is_left_counts_at_the_end() -> None:
    watch = LimitWatch(StageLimits(files=5), (Told(), Told(end="files")))
    assert watch.finish() == "files (5)"


def test_a_slow_meter_holds_up_no_other(clock: Clock) -> None:
    slow, quick = Told(takes=lambda: clock.sleep(0.1)), Told()
    look_for(LimitWatch(StageLimits(), (slow, quick)), 1.0, clock)
    assert slow.looks == 1
    assert quick.looks >= 3
    assert LONGEST_PAUSE * 4 <= 1


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
@pytest.mark.parametrize("grouped", [False, True])
def test_every_limit_is_held_by_something(level: str, *, grouped: bool) -> None:
    for is_root in (False, True):
        held = holders(level, is_root=is_root, grouped=grouped)
        assert tuple(held) == LIMITS
        assert (held["memory"] == "cgroup") is grouped
        assert held["open_files"] == "rlimit"
    alone = holders("L3", is_root=False, grouped=False)["processes"]
    assert (alone, holders("L2", is_root=False, grouped=False)["processes"]) == (
        "rlimit",
        "watcher",
    )


def test_what_is_not_confined_is_not_watched() -> None:
    assert watch_outside(None).pause(math.inf) == math.inf
    watched = watch_outside(Confinement(level="L1", workspace="/nowhere"))
    assert watched.pause(math.inf) != math.inf


FORKS = """
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 20 & done; echo all; wait
"""


@pytest.mark.parametrize("level", CONFINED)
def test_who_holds_processes_is_who_is_said_to(site: Site, level: str) -> None:
    from msgspec.structs import replace

    small = replace(site.confinement(level), limits=StageLimits(processes=4))
    ran = site.run(small, "sh", "-c", FORKS)
    assert not ran.result.succeeded
    by_kernel = level == "L3" and os.geteuid() != 0
    assert ran.result.held_by["processes"] == ("rlimit" if by_kernel else "watcher")
    assert not (by_kernel and "all" in ran.stdout)
