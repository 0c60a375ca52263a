"""What keeps a machine from confining, by name, and what whoever runs it can do about it.

`custody.supervise.probe` finds that a level cannot be had by trying it; here the machine is looked
at for the usual reasons. Nothing is decided by what is found.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from custody.model.record import Record
from custody.sandbox import landlock
from custody.sandbox.kernel import NUMBERS
from custody.store.places import first_bytes, is_there

NO_ATTRIBUTES = "the file system has no user attributes, by which an overlay marks folders"
"""Why no overlay can be had in a folder in which it could be mounted."""

_ENOUGH = 1 << 16
_CONTAINER_FILES = (".dockerenv", "run/.containerenv")
_CLONED_OR_MOUNTED = (
    "clone",
    "mount",
    "/proc/",
    "pivot_root",
    "open_tree",
    "move_mount",
    "sethost",
)
"""How a reason begins when namespaces, or mounts inside them, were refused."""


class Obstacle(Record, frozen=True):
    """One thing that stands in the way."""

    name: str
    what: str
    hint: str
    """What to do about it."""


class Host(Record, frozen=True):
    """What of a machine decides whether it can confine."""

    machine: str
    kernel: str
    user_namespaces: int | None
    """How many there may be; None where the kernel knows none."""
    open_to_all: bool
    """Whether an ordinary user may make one, as Debian's and Ubuntu's switches say."""
    overlay: bool
    container: bool
    filtered: bool
    """Whether this process is held by a filter of system calls."""
    landlock: int
    """Landlock's ABI; 0 for none."""
    landlock_error: int
    """What asking for it failed with; 0 for nothing."""


def surroundings(root: str = "/") -> Host:
    """Look at a machine whose files lie below ``root``."""
    system = os.uname()
    limit = _number(f"{root}proc/sys/user/max_user_namespaces")
    refused = landlock.refusal()
    return Host(
        machine=system.machine,
        kernel=system.release,
        user_namespaces=limit,
        open_to_all=_number(f"{root}proc/sys/kernel/unprivileged_userns_clone") != 0
        and _number(f"{root}proc/sys/kernel/apparmor_restrict_unprivileged_userns") in {None, 0},
        overlay=b"overlay" in first_bytes(f"{root}proc/filesystems", _ENOUGH).split(),
        container=any(is_there(f"{root}{name}") for name in _CONTAINER_FILES)
        or b"container=" in first_bytes(f"{root}proc/1/environ", _ENOUGH),
        filtered=b"\nSeccomp:\t2" in first_bytes(f"{root}proc/self/status", _ENOUGH),
        landlock=landlock.abi(),
        landlock_error=refused,
    )


def obstacles(reasons: dict[str, str], here: Host) -> tuple[Obstacle, ...]:
    """Return what stands in the way of the levels that ``reasons`` says were not to be had."""
    if not reasons:
        return ()
    if here.machine not in NUMBERS:
        return (_unknown_machine(here),)
    why = reasons.get("L3", "")
    return (*_about_namespaces(why, here), *_about_files(why), *_about_landlock(here))


def _unknown_machine(here: Host) -> Obstacle:
    return Obstacle(
        name="machine",
        what=f"the processor is {here.machine}; programs are confined on {' and '.join(NUMBERS)}",
        hint="a 64-bit kernel and Python on one of those is needed",
    )


def _about_namespaces(reason: str, here: Host) -> Iterator[Obstacle]:
    if not reason.startswith(_CLONED_OR_MOUNTED):
        return
    if here.user_namespaces is None:
        yield Obstacle(
            name="user_namespaces_missing",
            what=f"kernel {here.kernel} has no user namespaces",
            hint="a kernel built with CONFIG_USER_NS is needed",
        )
    elif here.user_namespaces == 0:
        yield Obstacle(
            name="user_namespaces_off",
            what="user namespaces are switched off",
            hint="`sysctl user.max_user_namespaces=15000`, as root",
        )
    elif not here.open_to_all and os.geteuid() != 0:
        yield Obstacle(
            name="user_namespaces_for_root",
            what="ordinary users may make no user namespaces",
            hint="`sysctl kernel.unprivileged_userns_clone=1` (Debian) or "
            "`sysctl kernel.apparmor_restrict_unprivileged_userns=0` (Ubuntu), as root",
        )
    elif here.container or here.filtered:
        yield _closed_container(here)
    elif not here.overlay and "overlay" in reason:
        yield Obstacle(
            name="overlay_missing",
            what="the kernel has no overlay file system loaded",
            hint="`modprobe overlay`, as root",
        )


def _about_files(reason: str) -> Iterator[Obstacle]:
    if reason == NO_ATTRIBUTES:
        yield Obstacle(
            name="user_attributes_missing",
            what="the folder is on a file system that has no user attributes",
            hint="`--runsdir` on another one, a disk's; tmpfs has them since Linux 6.6",
        )


def _closed_container(here: Host) -> Obstacle:
    where = "a container" if here.container else "a filter of system calls around custody"
    return Obstacle(
        name="container" if here.container else "filter",
        what=f"{where} forbids namespaces or mounts",
        hint="with Docker or Podman: `--security-opt seccomp=unconfined --security-opt "
        "apparmor=unconfined --security-opt systempaths=unconfined`",
    )


def _about_landlock(here: Host) -> Iterator[Obstacle]:
    if here.landlock_error == errno.EOPNOTSUPP:
        yield Obstacle(
            name="landlock_off",
            what="Landlock is in the kernel, and switched off",
            hint="put landlock into the list of the boot parameter `lsm=`: "
            "/sys/kernel/security/lsm has today's",
        )
    elif here.landlock_error == errno.ENOSYS:
        yield Obstacle(
            name="landlock_missing",
            what=f"kernel {here.kernel} has no Landlock",
            hint="Linux 5.19 or newer, built with CONFIG_SECURITY_LANDLOCK, is needed",
        )
    elif here.landlock_error:
        yield Obstacle(
            name="landlock_forbidden",
            what=f"Landlock cannot be asked for: {os.strerror(here.landlock_error)}",
            hint="with Docker or Podman: `--security-opt seccomp=unconfined`, or a newer profile",
        )
    elif here.landlock < landlock.ABI_WITH_SCOPES:
        yield Obstacle(
            name="landlock_old",
            what=f"kernel {here.kernel} has Landlock ABI {here.landlock}",
            hint=f"L2 and L3 need ABI {landlock.ABI_WITH_MOVES}, which is Linux 5.19; with "
            f"{landlock.ABI_WITH_SCOPES}, which is Linux 6.12, L2 leaves less open",
        )


def _number(path: str) -> int | None:
    text = first_bytes(path, _ENOUGH).strip()
    return int(text) if text.isdigit() else None
