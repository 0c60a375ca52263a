"""The control group of the line that a server runs, where one can be had."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from custody.sandbox.confinement import Confinement
from custody.supervise.descendants import parent
from custody.supervise.limits.cgroup import ControlGroup, Groups, Hierarchy, NoGroup


class LineGroups:
    """Makes a group for each line, or none at all where that cannot be done."""

    def __init__(self, find: Callable[[], Hierarchy] = Hierarchy.of_this_process) -> None:
        self._find = find
        self._groups: Groups | None = None
        self._tried = False
        self._current: ControlGroup | None = None

    @contextmanager
    def of(self, confinement: Confinement | None) -> Iterator[ControlGroup | None]:
        """Have a group for one line, with its limits; None where there is none."""
        self._current = self._make(confinement)
        try:
            yield self._current
        finally:
            group, self._current = self._current, None
            if group is not None:
                group.kill()
                group.remove()

    @property
    def has_one(self) -> bool:
        """Whether the line that runs has a group."""
        return self._current is not None

    def add(self, process: int) -> None:
        """Put the first process of a sandbox into the group."""
        if self._current is not None:
            self._current.add(process)

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Be in the group while a program is started, which then is in it from the first."""
        if self._current is None or self._groups is None or os.getpid() == 1:
            yield
            return
        self._current.add(os.getpid())
        try:
            yield
        finally:
            self._groups.leave(os.getpid())

    def _make(self, confinement: Confinement | None) -> ControlGroup | None:
        if confinement is None:
            return None
        try:
            if not self._tried:
                self._tried = True
                self._groups = Groups(self._find(), family())
            return None if self._groups is None else self._groups.make(confinement.limits)
        except NoGroup:
            self._groups = None
            return None


def family() -> set[int]:
    """Return this process and the two that stand above a server: its reaper, and the runtime."""
    reaper = os.getppid()
    return {os.getpid(), reaper, parent(reaper)}
