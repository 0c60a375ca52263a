"""What a line has written to the disk, told by the blocks that files take.

A folder is gone over from its descriptor on, and no link below it is followed; however deep it is,
that takes few descriptors and no stack. Files that were there before the line count when they were
changed since, which the kernel's time of change tells: a program can set every other time of a
file, but not this one.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from typing import NamedTuple

from custody.model.limits import Limit, StageLimits
from custody.supervise.limits.meter import Meter

BYTES_A_SECOND, FILES_A_SECOND = 4 << 30, 200_000
"""More than any program writes."""

_BLOCK = 512
_COARSE_CLOCK = 5
"""CLOCK_REALTIME_COARSE: what the kernel takes the time of a change from, or a later one."""
_CLOSED = -1
_HELD = 32
"""Folders that are open at a time, at most: of those above, how to know them again is kept."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Place(NamedTuple):
    """A folder or file that a line can write to, held before the line begins."""

    held: int
    since: int = 0
    """Nanoseconds; what was not changed since then does not count."""


class Sum(NamedTuple):
    """What was found."""

    disk: int = 0
    largest: int = 0
    files: int = 0
    unseen: bool = False
    """Whether there was a folder that could not be looked into, or one that was moved meanwhile."""


class WrittenMeter(Meter):
    """Looks at what a line has written, when that could be too much by now."""

    def __init__(self, limits: StageLimits, own: str, shared: tuple[str, ...]) -> None:
        """``own`` holds nothing but what the stage has written; ``shared`` older files too."""
        self._limits = limits
        since = time.clock_gettime_ns(_COARSE_CLOCK)
        held = [Place(held) for held in hold((own,))] if own else []
        self._places = [*held, *(Place(held, since) for held in hold(shared))]
        self._free_before = [_free(place.held) for place in self._places]
        self._seen = Sum()
        self._seen_at = time.monotonic()

    def close(self) -> None:
        """Let go of the places."""
        for place in self._places:
            os.close(place.held)
        self._places = []

    def exceeded(self) -> Limit | None:
        """Return a limit that is exceeded; None also while none can be."""
        now = time.monotonic()
        if not self._may_be_exceeded(now - self._seen_at):
            return None
        self._seen, self._seen_at = measure(self._places, self._limits), now
        seen, limits = self._seen, self._limits
        if seen.files > limits.files:
            return "files"
        if seen.largest > limits.file_size:
            return "file_size"
        disk = max(seen.disk, self._taken_from_disk()) if seen.unseen else seen.disk
        return "written" if disk > limits.written else None

    def at_the_end(self) -> Limit | None:
        """Return the same: it stays when all have ended."""
        return self.exceeded()

    def _may_be_exceeded(self, seconds: float) -> bool:
        limits, seen = self._limits, self._seen
        left = min(limits.file_size - seen.largest, limits.written - seen.disk)
        return (
            seconds * BYTES_A_SECOND > left or seconds * FILES_A_SECOND > limits.files - seen.files
        )

    def _taken_from_disk(self) -> int:
        """Return what a file system has less than before, whoever has it."""
        now = (_free(place.held) for place in self._places)
        return max(before - after for before, after in zip(self._free_before, now, strict=True))


def hold(paths: Iterable[str]) -> list[int]:
    """Take hold of what is there, so that nobody can put something else in its place."""
    held = []
    for path in paths:
        try:
            held.append(os.open(path, os.O_PATH | os.O_CLOEXEC))
        except OSError:
            continue  # what is not there cannot be written to
    return held


def measure(places: Iterable[Place], limits: StageLimits) -> Sum:
    """Go over folders; stops early when the answer is clear."""
    walk = _Walk(limits)
    for place in places:
        about = os.fstat(place.held)
        if stat.S_ISDIR(about.st_mode):
            walk.go_over(place.held, place.since)
        else:
            walk.add(about, place.since)
    return walk.sum()


class _Level:
    """A folder on the way down, and the folders in it that were not looked into yet."""

    def __init__(self, opened: int) -> None:
        self.opened = opened
        """Its descriptor; `_CLOSED` when it had to be given back."""
        about = os.fstat(opened)
        self.identity = about.st_dev, about.st_ino
        self.below: list[str] = []

    def close(self) -> None:
        """Let go of the descriptor."""
        if self.opened != _CLOSED:
            os.close(self.opened)
            self.opened = _CLOSED


class _Walk:
    """Adds up what is found."""

    def __init__(self, limits: StageLimits) -> None:
        self._limits = limits
        self._linked: set[tuple[int, int]] = set()
        self._disk = self._largest = self._files = 0
        self._unseen = False
        self._way: list[_Level] = []
        """From the top to the folder that is looked into."""

    def sum(self) -> Sum:
        """Return what was found so far."""
        return Sum(self._disk, self._largest, self._files, self._unseen)

    def go_over(self, top: int, since: int) -> None:
        """Count what a folder holds, and the folders in it, until there are too many."""
        try:
            self._enter(top, ".", since)
            while self._way and self._files <= self._limits.files:
                here = self._way[-1]
                if here.below:
                    self._enter(here.opened, here.below.pop(), since)
                else:
                    self._go_up()
        finally:
            for level in self._way:
                level.close()
            self._way.clear()

    def _enter(self, folder: int, name: str, since: int) -> None:
        """Go into a folder, unless it does not let anybody."""
        try:
            self._way.append(_Level(os.open(name, _FOLDER, dir_fd=folder)))
            if len(self._way) > _HELD:
                self._way[-1 - _HELD].close()
            self._way[-1].below = self._count(self._way[-1].opened, since)
        except (FileNotFoundError, NotADirectoryError):
            return  # it was removed or replaced meanwhile
        except OSError:
            self._unseen = True

    def _go_up(self) -> None:
        """Leave a folder for the one above, which is opened again if need be.

        If that is another one by now, somebody has moved this one: whatever waits above is not
        looked at, and the disk is asked.
        """
        left = self._way.pop()
        try:
            if self._way and self._way[-1].opened == _CLOSED:
                above = _Level(os.open("..", _FOLDER, dir_fd=left.opened))
                above.below = self._way[-1].below
                if above.identity != self._way[-1].identity:
                    above.close()
                    raise FileNotFoundError
                self._way[-1] = above
        except OSError:
            self._unseen = True
            self._way.clear()
        finally:
            left.close()

    def _count(self, folder: int, since: int) -> list[str]:
        """Count the names of one folder; return those of folders."""
        below = []
        with os.scandir(folder) as items:
            for item in items:
                try:
                    about = item.stat(follow_symlinks=False)
                except OSError:
                    continue
                if item.is_dir(follow_symlinks=False):
                    below.append(item.name)
                self.add(about, since)
                if self._files > self._limits.files:
                    break
        return below

    def add(self, about: os.stat_result, since: int) -> None:
        """Count one file, if it was changed since."""
        if about.st_ctime_ns < since:
            return
        self._files += 1
        if about.st_nlink > 1:
            if (about.st_dev, about.st_ino) in self._linked:
                return
            self._linked.add((about.st_dev, about.st_ino))
        taken = about.st_blocks * _BLOCK
        self._disk += taken
        self._largest = max(self._largest, taken)


def _free(held: int) -> int:
    about = os.fstatvfs(held)
    return about.f_bfree * about.f_frsize
