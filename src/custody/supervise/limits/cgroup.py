"""A control group (version 2) for the processes of one line, where this process may make one.

The kernel gives a group's limits to everything in it, whoever forks what, and counts what it
refuses. A group can be made below our own when its folder is ours (delegated, as a service manager
says), and has limits when our own hands its controllers on, which one that has processes of its
own cannot: then the processes, if all are ours, move into a group beside the new ones.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

from custody.model.limits import Limit, StageLimits
from custody.supervise.descendants import read
from custody.supervise.limits.meter import Meter

CONTROLLERS = ("memory", "pids")
RUNTIME = "custody-runtime"
"""The group of our own processes, below the one that they were in."""

_PATIENCE = 2.0
_WAIT = 0.002


class NoGroup(Exception):
    """No group can be made here; says why in a few words."""


class ControlGroup(Meter):
    """The group of one line."""

    def __init__(self, folder: str, limits: StageLimits) -> None:
        """Make it in a folder that hands on its controllers; raises `NoGroup`."""
        self.folder = folder
        try:
            os.mkdir(folder, 0o755)
            self._put("pids.max", limits.processes + 1)  # the server of a sandbox is one of them
            self._put("memory.max", limits.memory)
            self._put("memory.oom.group", 1)
        except OSError as error:
            self.remove()
            raise NoGroup(f"{folder}: {error.strerror}") from None
        self._set_if_known("memory.swap.max", 0)

    def add(self, process: int) -> None:
        """Move a process into the group, and what it will fork; raises `OSError`."""
        self._put("cgroup.procs", process)

    def exceeded(self) -> Limit | None:
        """Return a limit at which the kernel has refused something."""
        if self._event("pids.events", b"max"):
            return "processes"
        return "memory" if self._event("memory.events", b"oom_kill") else None

    def at_the_end(self) -> Limit | None:
        """Return the same: the kernel has counted it."""
        return self.exceeded()

    def kill(self) -> None:
        """Kill everything in the group at once, where the kernel can (5.14)."""
        self._set_if_known("cgroup.kill", 1)

    def remove(self) -> None:
        """Remove the group, when the last process of it is gone."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                os.rmdir(self.folder)
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > deadline:
                    return  # something cannot be killed, which is told as a survivor
                time.sleep(_WAIT)
            else:
                return

    def _event(self, name: str, what: bytes) -> int:
        try:
            return int(dict(_pairs(read(f"{self.folder}/{name}"))).get(what, b"0"))
        except OSError:
            return 0

    def _put(self, name: str, value: int) -> None:
        write(f"{self.folder}/{name}", str(value))

    def _set_if_known(self, name: str, value: int) -> None:
        try:
            self._put(name, value)
        except OSError:
            return


class Hierarchy(NamedTuple):
    """Where groups are, and which of them this process is in."""

    mounted: str
    own: str
    """Path below ``mounted``; begins with a slash."""

    @classmethod
    def of_this_process(cls) -> Hierarchy:
        """Find it; raises `NoGroup`."""
        for line in read("/proc/self/mountinfo").decode(errors="surrogateescape").splitlines():
            before, _, after = line.partition(" - ")
            if after.startswith("cgroup2 "):
                mounted = before.split()[4]
                break
        else:
            raise NoGroup("version 2 is not mounted")
        for line in read("/proc/self/cgroup").decode(errors="surrogateescape").splitlines():
            if line.startswith("0::"):
                return cls(mounted, line[3:])
        raise NoGroup("this process is in no group of version 2")

    @property
    def folder(self) -> str:
        """The folder of the group that this process is in."""
        return f"{self.mounted}{self.own}".rstrip("/")


class Groups:
    """Makes groups below the one that this process is in."""

    def __init__(self, hierarchy: Hierarchy, ours: Collection[int]) -> None:
        """``ours`` are the processes that may be moved."""
        self._home = hierarchy.folder
        self._folder = self._home.removesuffix(f"/{RUNTIME}")  # where an earlier server put us
        self._ours = ours
        self._made = 0

    def make(self, limits: StageLimits) -> ControlGroup:
        """Make a group for one line; raises `NoGroup`."""
        self._made += 1
        return ControlGroup(f"{self._ready}/custody-{os.getpid()}-{self._made}", limits)

    def leave(self, process: int) -> None:
        """Move one of our own processes back to where it was."""
        write(f"{self._home}/cgroup.procs", str(process))

    @cached_property
    def _ready(self) -> str:
        """The folder to make groups in; it hands on its controllers."""
        folder = self._folder
        try:
            missing = set(CONTROLLERS) - set(_words(f"{folder}/cgroup.controllers"))
            if missing:
                raise NoGroup(f"the controller {min(missing)} is not to be had")
            if not set(CONTROLLERS) <= set(_words(f"{folder}/cgroup.subtree_control")):
                self._hand_on(folder)
        except OSError as error:
            raise NoGroup(f"{folder}: {error.strerror}") from None
        return folder

    def _hand_on(self, folder: str) -> None:
        members = [int(word) for word in _words(f"{folder}/cgroup.procs")]
        if strangers := set(members) - set(self._ours):
            raise NoGroup(f"process {min(strangers)} is in our group, and is not ours")
        if members:
            self._home = f"{folder}/{RUNTIME}"
            os.makedirs(self._home, exist_ok=True)
        for process in members:
            write(f"{self._home}/cgroup.procs", str(process))
        write(f"{folder}/cgroup.subtree_control", " ".join(f"+{name}" for name in CONTROLLERS))


def write(path: str, text: str) -> None:
    """Set one value of the kernel's."""
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _words(path: str) -> list[str]:
    return read(path).decode().split()


def _pairs(text: bytes) -> list[tuple[bytes, bytes]]:
    found = (line.split(None, 1) for line in text.splitlines())
    return [(pair[0], pair[1]) for pair in found if len(pair) == 2]  # noqa: PLR2004
