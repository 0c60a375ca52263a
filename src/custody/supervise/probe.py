"""What this machine can give: found by doing it once, not by reading version numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from custody.errors import ConfinementMissing
from custody.model.confinement import LEVELS, Level
from custody.model.record import Record
from custody.sandbox.confinement import Confinement, OverlayPaths
from custody.store.places import first_bytes
from custody.store.root import Root
from custody.store.scratch import scratch
from custody.supervise.obstacles import Obstacle, obstacles, surroundings

_NAMESPACE_LIMIT = "/proc/sys/user/max_user_namespaces"
_ENOUGH = 1 << 16


class Offer(Record, frozen=True):
    """The highest level to be had, and why no higher one."""

    level: Level
    reasons: dict[str, str]
    """For each level above, what stands in its way."""

    def has(self, level: Level) -> bool:
        """Tell whether a level can be had."""
        return LEVELS.index(level) <= LEVELS.index(self.level)


class Features(Record, frozen=True):
    """What of the kernel the levels are made of."""

    kernel: str
    machine: str
    landlock_abi: int
    """0 for none; L3 needs 2, L2 needs 6."""
    openat2: bool
    overlay: bool
    user_namespaces: int
    """How many there may be; 0 for none."""


class Diagnosis(Record, frozen=True):
    """What can be had here, and what it is made of."""

    offer: Offer
    features: Features
    obstacles: tuple[Obstacle, ...]
    """What keeps it from a higher level, by name, with what to do about it."""


def diagnose(folder: str = "") -> Diagnosis:
    """Look at this machine, as `offered` does."""
    offer = offered(folder)
    return Diagnosis(
        offer=offer, features=features(), obstacles=obstacles(offer.reasons, surroundings())
    )


@cache
def offered(folder: str = "") -> Offer:
    """Return what can be had for workspaces in ``folder``, or in the folder for temporaries.

    Starts a program at each level, down from the highest, until one runs. Raises
    `ConfinementMissing` when one is ended by something else than its confinement, and
    `StorageFailed` when the disk fails.
    """
    reasons: dict[str, str] = {}
    for level in ("L3", "L2"):
        why = _try(level, folder)
        if not why:
            return Offer(level=level, reasons=reasons)
        reasons[level] = why
    return Offer(level="L1", reasons=reasons)


def features() -> Features:
    """Return what the kernel says of itself."""
    from custody.sandbox.landlock import abi
    from custody.store.syscalls import has_openat2

    system = os.uname()
    limit = first_bytes(_NAMESPACE_LIMIT, _ENOUGH).strip()
    return Features(
        kernel=system.release,
        machine=system.machine,
        landlock_abi=abi(),
        openat2=has_openat2(),
        overlay=b"overlay" in first_bytes("/proc/filesystems", _ENOUGH).split(),
        user_namespaces=int(limit) if limit.isdigit() else 0,
    )


def _try(level: Level, folder: str) -> str:
    """Start a program at a level; return why it did not run.

    Raises `ConfinementMissing` when that cannot be told: a lower level is not for accidents.
    """
    from custody.model.request import Command, CommandLine
    from custody.supervise.supervisor import Launch, Limits, Supervisor

    line = CommandLine(text="true", commands=(Command(argv=("true",)),))
    with scratch(folder) as workspace, _nowhere() as sink, Supervisor() as supervisor:
        place = Launch(workspace.path, {"PATH": "/usr/bin:/bin"}, _confinement(level, workspace))
        result = supervisor.run(line, place, Limits(timeout=30), stdout=sink, stderr=sink)
    if result.ended_by:
        what = f"{level} could not be tried: {result.ended_by}"
        raise ConfinementMissing(what, hint="try again")
    return result.failure_reason.removeprefix("confinement_failed: ")


def _confinement(level: Level, workspace: Root) -> Confinement:
    """Return a confinement of that level for a workspace that is thrown away."""
    names = ("lower", "upper", "work")
    for name in names:
        workspace.make_dirs(name)
    lower, upper, work = (f"{workspace.path}/{name}" for name in names)
    layers = OverlayPaths(lower=(lower,), upper=upper, work=work) if level == "L3" else None
    return Confinement(level=level, workspace=workspace.path, layers=layers)


@contextmanager
def _nowhere() -> Iterator[int]:
    sink = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        yield sink
    finally:
        os.close(sink)
