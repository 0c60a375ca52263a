"""What this machine can give: found by doing it once, not by reading version numbers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from custody.errors import ConfinementMissing
from custody.model.confinement import LEVELS, Level
from custody.model.limits import Holder, Limit, StageLimits
from custody.model.record import Record
from custody.sandbox.confinement import Confinement, OverlayPaths
from custody.sandbox.left_open import Opening, left_open
from custody.store.places import FileSystem, file_system, first_bytes
from custody.store.root import Root
from custody.store.scratch import scratch, temporaries
from custody.supervise.obstacles import NO_ATTRIBUTES, Obstacle, obstacles, surroundings
from custody.workspace.overlay import marks

if TYPE_CHECKING:
    from custody.model.request import CommandLine
    from custody.supervise.supervisor import ProcessResult

_NAMESPACE_LIMIT = "/proc/sys/user/max_user_namespaces"
_ENOUGH = 1 << 16
_FEW = 3
_ALL_STARTED = "all of them"
_START_MORE = f"for i in 1 2 3 4 5 6 7 8; do sleep 20 & done; echo {_ALL_STARTED}; wait"


_FOUND: dict[FileSystem, Offer] = {}


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
    """0 for none; L3 and L2 need 2."""
    openat2: bool
    overlay: bool
    user_namespaces: int
    """How many there may be; 0 for none."""


class HeldLimits(Record, frozen=True):
    """What a stage may take unless its node says otherwise, and what sees to it here."""

    limits: StageLimits
    held_by: dict[Limit, Holder]
    no_cgroup: str
    """Why no control group holds any of them; empty when one does."""


class Diagnosis(Record, frozen=True):
    """What can be had here, and what it is made of."""

    offer: Offer
    features: Features
    limits: HeldLimits
    obstacles: tuple[Obstacle, ...]
    """What keeps it from a higher level, by name, with what to do about it."""

    @property
    def left_open(self) -> tuple[Opening, ...]:
        """What L2 leaves open here."""
        return left_open(self.features.landlock_abi)


def diagnose(folder: str = "") -> Diagnosis:
    """Look at this machine, as `offered` does."""
    offer = offered(folder)
    return Diagnosis(
        offer=offer,
        features=features(),
        limits=held_limits(offer.level, folder),
        obstacles=obstacles(offer.reasons, surroundings()),
    )


def offered(folder: str = "") -> Offer:
    """Return what can be had for workspaces in ``folder``, or in the folder for temporaries.

    What `try_levels` found holds for this process wherever the same file system is mounted alike:
    the second run of a program starts nothing to find it again.
    """
    place = file_system(folder or temporaries())
    if place not in _FOUND:
        _FOUND[place] = try_levels(folder)
    return _FOUND[place]


def try_levels(folder: str = "") -> Offer:
    """Start a program at each level, down from the highest, until one runs.

    Raises `ConfinementMissing` when one is ended by something else than its confinement, and
    `StorageFailed` when the disk fails.
    """
    reasons: dict[str, str] = {}
    for level in ("L3", "L2"):
        why = _try(level, folder)
        if not why:
            return Offer(level=level, reasons=reasons)
        reasons[level] = why
    return Offer(level="L1", reasons=reasons)


def held_limits(level: Level, folder: str = "") -> HeldLimits:
    """Return what holds the limits of stages at a level, in ``folder``.

    Starts more processes than it allows, to see whether the kernel refuses one. Raises as
    `try_levels` does.
    """
    from custody.model.request import Command, CommandLine

    small = StageLimits(processes=_FEW)
    line = CommandLine(text="sh", commands=(Command(argv=("sh", "-c", _START_MORE)),))
    result = _run(line, level, folder, small)
    held_by = dict(result.held_by)
    if _ALL_STARTED.encode() in result.stdout.tail:
        held_by["processes"] = "watcher"
    elif not (result.failure or result.exceeded) and held_by["processes"] == "watcher":
        held_by["processes"] = "rlimit"
    no_cgroup = "" if "cgroup" in held_by.values() else _why_no_group()
    return HeldLimits(limits=StageLimits(), held_by=held_by, no_cgroup=no_cgroup)


def _why_no_group() -> str:
    from custody.supervise.limits.cgroup import Groups, Hierarchy, NoGroup

    try:
        Groups(Hierarchy.of_this_process(), {os.getpid()}).make(StageLimits()).remove()
    except NoGroup as error:
        return str(error)
    return "the group of this process can have others, but not that of its server"


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

    if level == "L3" and not _marks_can_be_set(folder):
        return NO_ATTRIBUTES
    line = CommandLine(text="true", commands=(Command(argv=("true",)),))
    result = _run(line, level, folder, StageLimits())
    return result.failure_reason.removeprefix("confinement_failed: ")


def _marks_can_be_set(folder: str) -> bool:
    with scratch(folder) as workspace:
        return marks.can_be_set(workspace.fd)


def _run(line: CommandLine, level: Level, folder: str, limits: StageLimits) -> ProcessResult:
    """Run a line at a level; raises `ConfinementMissing` when an accident ended it."""
    from custody.supervise.supervisor import Launch, Limits, Supervisor

    with scratch(folder) as workspace, _nowhere() as sink, Supervisor() as supervisor:
        confinement = replace(_confinement(level, workspace), limits=limits)
        place = Launch(workspace.path, {"PATH": "/usr/bin:/bin"}, confinement)
        result = supervisor.run(line, place, Limits(timeout=30), stdout=sink, stderr=sink)
    if result.ended_by not in {"", "limit_exceeded"}:
        what = f"{level} could not be tried: {result.ended_by}"
        raise ConfinementMissing(what, hint="try again")
    return result


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
