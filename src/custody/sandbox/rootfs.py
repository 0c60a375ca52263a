"""The root that processes at L3 see: what they need to run, the workspace, and nothing else."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from custody.sandbox import kernel, landlock
from custody.sandbox.confinement import (
    CACHE_VIEW,
    HOME_VIEW,
    Confinement,
)
from custody.sandbox.environment import open_parts, wanted_of_etc
from custody.sandbox.landlock import CHANGE, DEVICE, READ, Rule
from custody.sandbox.namespaces import INSIDE_ID
from custody.sandbox.overlay import OpenOverlay, closed
from custody.store.identities import FOLDER, FolderState, LedTo, identity, note
from custody.store.places import is_file, is_folder

SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
DEVICES = ("null", "zero", "full", "random", "urandom")
WRITTEN = {
    "etc/passwd": f"custody:x:{INSIDE_ID}:{INSIDE_ID}::{HOME_VIEW}:/bin/sh\n"
    "nobody:x:65534:65534::/:/bin/false\n",
    "etc/group": f"custody:x:{INSIDE_ID}:\nnogroup:x:65534:\n",
}
LOCAL_NAMES = {
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
LINKS = {
    "dev/fd": "/proc/self/fd",
    "dev/stdin": "/proc/self/fd/0",
    "dev/stdout": "/proc/self/fd/1",
    "dev/stderr": "/proc/self/fd/2",
    "etc/mtab": "/proc/self/mounts",
}
SCRATCH_FOLDERS = ("/tmp", "/var/tmp", HOME_VIEW, "/dev/shm")  # noqa: S108
REPOSITORY, REPOSITORY_CACHE = ".git", "repository"
"""A repository made for a stage, and the folder of the caches that it lies in."""
STAND = "/sys"
"""Where the new root is put together: a folder below which nobody keeps a workspace."""

_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_EXEC = 1, 2, 4, 8
_PRIVATE = 1 << 18
_BIND = 4096
_NOTHING = "nothing"
_OWN_PROCESSES = "hidepid=4"
"""Of /proc: who may not look into a process does not see it, the first of the sandbox neither."""
TOLD_OF_THE_MACHINE = (
    "allocinfo", "cmdline", "keys", "kpagecgroup", "kpagecount", "kpageflags", "locks",
    "pagetypeinfo", "slabinfo", "timer_list", "vmallocinfo",
)  # fmt: skip
"""Of /proc: keys and memory of the machine, what its kernel was started with, and what its
processes wait for and have locked; empty inside."""
_SPARE_BYTES, _SPARE_FILES = 1 << 20, 8192


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


class LaidRoot(NamedTuple):
    """What is known of a root that was put together."""

    processes: int
    """A descriptor of a /proc that shows every process of the sandbox."""
    shown: LedTo
    """What it shows of the machine."""


class _Piece(NamedTuple):
    """A part of the machine that will be seen, taken while it can be reached."""

    tree: int
    place: str
    """Where, below the new root."""
    is_folder: bool


def lay_out(base: Confinement) -> LaidRoot:
    """Put together, out of everybody's sight, what does not depend on the workspace.

    The /proc that shows every process of the sandbox is for the first of them alone: the one that
    is seen covers it.
    """
    etc = FolderState.of(FOLDER)
    pieces = _pieces(base)
    # A little more than the limits, so that whoever looks can see that one was exceeded.
    size, files = base.limits.memory + _SPARE_BYTES, base.limits.files + _SPARE_FILES
    options = f"mode=755,size={size},nr_inodes={files}"
    sealed = _NO_EXEC if base.sealed else 0
    kernel.mount("root", STAND, "tmpfs", _NO_SETUID | _NO_DEVICES | sealed, options)
    os.chdir(STAND)
    _furnish(base)
    for piece in pieces:
        _put(piece)
    # Not even root of the machine, who owns these files, may change the kernel's settings.
    flags = _READ_ONLY | _NO_SETUID | _NO_DEVICES | _NO_EXEC
    kernel.mount("proc", "proc", "proc", flags)
    everybody = os.open("proc", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    kernel.mount("proc", "proc", "proc", flags, _OWN_PROCESSES)
    _empty(f"proc/{name}" for name in TOLD_OF_THE_MACHINE)
    return LaidRoot(everybody, _noted(base, etc))


def move_in(confinement: Confinement) -> None:
    """Add workspace and caches, and make it this process's root; what is not named is gone."""
    if confinement.cache_layers:
        os.makedirs(CACHE_VIEW[1:], exist_ok=True)
        OpenOverlay(confinement.cache_layers).mount(CACHE_VIEW[1:], CACHE_VIEW[1:])
    elif confinement.cache:
        _put(_take(confinement.cache, CACHE_VIEW, writable=True, sealed=confinement.sealed))
    _show_workspace(confinement)
    for file in confinement.given:
        _write(f"{HOME_VIEW[1:]}/{file.place}", file.data)
    kernel.call("pivot_root", b".", b".")
    kernel.detach(".")
    os.chdir("/")


def _show_workspace(confinement: Confinement) -> None:
    """Show the workspace at its place, and in it the toolchains that the source has on PATH.

    Those are as they are outside, and cannot be changed: whoever is judged must not choose the
    program that judges him. A lowest layer has the folders that they are mounted on.
    """
    place = confinement.place[1:]
    os.makedirs(place, exist_ok=True)
    tools = [_take(path, path) for path in confinement.tools_of_source if os.path.exists(path)]
    layers = confinement.layers
    if layers is None:
        sealed = confinement.sealed
        _put(_take(confinement.workspace, confinement.place, writable=True, sealed=sealed))
    else:
        for tool in tools:
            _make_room(tool)
        if confinement.repository:
            os.makedirs(f"{place}/{REPOSITORY}", exist_ok=True)
        _hold_in_place(place)
        rooms = tools or confinement.repository
        below = (*layers.lower, place) if rooms else layers.lower
        OpenOverlay(msgspec.structs.replace(layers, lower=below)).mount(place)
    if _scratch_above(place) and confinement.changeable != ("",):
        _close(place, confinement.changeable)
    for tool in tools:
        if _has_room(tool, place):
            _put(tool)
        else:
            os.close(tool.tree)  # it is hidden, or something else is there now
    if confinement.repository:
        kept = f"{CACHE_VIEW[1:]}/{REPOSITORY_CACHE}"
        os.makedirs(kept, exist_ok=True)
        _put(_take(kept, f"/{place}/{REPOSITORY}", writable=True))


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o400)
    try:
        while data:
            data = data[os.write(file, data) :]
    finally:
        os.close(file)


def _scratch_above(place: str) -> str:
    """Return the folder that programs have for themselves and the workspace lies in, or nothing."""
    return next((kept[1:] for kept in SCRATCH_FOLDERS if place.startswith(f"{kept[1:]}/")), "")


def _hold_in_place(place: str) -> None:
    """Let nobody move a folder above the workspace away and put another one there."""
    scratch = _scratch_above(place)
    first = f"{scratch}/{place.removeprefix(f'{scratch}/').split('/')[0]}"
    if scratch and first != place:
        _put(_take(first, f"/{first}"))


def _close(place: str, changeable: Iterable[str]) -> None:
    """Let programs change nothing of the workspace but some folders.

    Landlock cannot take back what it allows of the folder above, so the mounts say it.
    """
    folders = (f"{place}/{folder}" for folder in changeable)
    open_ones = [_take(path, f"/{path}", writable=True) for path in folders if is_folder(path)]
    attributes = _Attributes(set=_READ_ONLY)
    kernel.call(
        "mount_setattr", -100, os.fsencode(place), kernel.AT_RECURSIVE,
        ctypes.byref(attributes), ctypes.sizeof(attributes),
    )  # fmt: skip
    for folder in open_ones:
        _put(folder)


def rules(confinement: Confinement) -> list[Rule]:
    """Return what Landlock allows inside; the mounts say nearly the same, in another way."""
    return [*base_rules(confinement.base, ""), *stage_rules(confinement)]


def base_rules(base: Confinement, root: str = STAND) -> list[Rule]:
    """Return those that are the same for every workspace, of a root that can be found there."""
    return [
        Rule(f"{root}/", READ),
        *(Rule(f"{root}{path}", CHANGE) for path in (*base.writable, *SCRATCH_FOLDERS)),
        *(Rule(f"{root}/dev/{name}", DEVICE) for name in DEVICES),
    ]


def allow_base(ruleset: int, base: Confinement) -> LedTo:
    """Allow at L2 what is the same for every workspace; return what of the machine that is."""
    etc = FolderState.of(FOLDER)
    rights = [*(READ for _ in _shown(base)), *(CHANGE for _ in base.writable)]
    rules = [Rule(*each) for each in zip(_compared(base), rights, strict=True)]
    reached = landlock.add_rules(ruleset, rules)
    landlock.add_rules(ruleset, (Rule(f"/dev/{name}", DEVICE) for name in DEVICES))
    return note(zip(_compared(base), reached, strict=True), etc)


def stage_rules(confinement: Confinement) -> list[Rule]:
    """Return the others, to be asked for by a process that has moved in."""
    changeable = confinement.changed(confinement.place)
    if confinement.cache:
        changeable.append(CACHE_VIEW)
    if confinement.repository:
        changeable.append(f"{confinement.place}/{REPOSITORY}")
    return [Rule(path, CHANGE) for path in changeable]


def is_current(base: Confinement) -> bool:
    """Whether what is below the current folder is what is there now.

    What is mounted keeps its number, so that nothing can be made anew under the same one.
    """
    return _noted(base, FolderState.of(FOLDER)).holds()


def _noted(base: Confinement, etc: FolderState | None) -> LedTo:
    laid_out = (*_outside(base, _shown(base)), *base.writable)
    return note([(path, identity(path[1:])) for path in laid_out], etc)


def _compared(base: Confinement) -> list[str]:
    return [*_shown(base), *base.writable]


def readable(confinement: Confinement) -> list[str]:
    """Return what of the machine can be read, the workspace aside: a short list."""
    return [path for path in _shown(confinement.base) if os.path.exists(path)]


def in_sight(confinement: Confinement) -> tuple[list[str], list[str]]:
    """Return what of the machine can be read, and what can be changed."""
    return readable(confinement), writable(confinement)


def writable(confinement: Confinement) -> list[str]:
    """Return what of the machine can be changed, workspace, caches and devices aside."""
    return sorted(confinement.writable)


@lru_cache(maxsize=8)
def _shown(base: Confinement) -> list[str]:
    shares = base.level != "L3"
    wanted = [f"/{name}" for name in SYSTEM if not os.path.islink(f"/{name}")]
    wanted += wanted_of_etc(names=base.network == "host" or shares, machine=shares)
    wanted += base.readable
    wanted += ["/proc"] if shares else []
    return open_parts(outermost(wanted), whole=base.readable)


def _pieces(base: Confinement) -> list[_Piece]:
    return [
        *(_take(path, path) for path in _outside(base, readable(base))),
        *(_take(path, path, writable=True, sealed=base.sealed) for path in base.writable),
        *(_take(f"/dev/{name}", f"/dev/{name}", device=True) for name in DEVICES),
    ]


def _outside(base: Confinement, paths: Iterable[str]) -> list[str]:
    """Return those that do not lie where the workspace will be."""
    return [path for path in paths if not path.startswith(f"{base.place}/")]


def outermost(paths: Iterable[str]) -> list[str]:
    """Return the paths in order, without those that lie below another."""
    kept: list[str] = []
    for path in sorted(set(paths)):
        if not any(path.startswith(f"{above}/") for above in kept):
            kept.append(path)
    return kept


def _take(
    path: str, place: str, *, writable: bool = False, device: bool = False, sealed: bool = False
) -> _Piece:
    """Take hold of a file or folder, with everything below; only a device can be one."""
    try:
        tree = kernel.call("open_tree", -100, os.fsencode(path), kernel.CLONE_TREE)
    except FileNotFoundError as error:
        raise OSError(error.errno, f"{path} is missing") from None
    except PermissionError as error:
        raise OSError(error.errno, f"{path}: {closed(path)}") from None
    # A device takes data all the same where its mount is read-only; its mode and times stay.
    flags = _NO_SETUID if device else _NO_SETUID | _NO_DEVICES
    if not writable:
        flags |= _READ_ONLY
    if sealed:
        flags |= _NO_EXEC
    attributes = _Attributes(set=flags, propagation=_PRIVATE)
    kernel.call(
        "mount_setattr", tree, b"", kernel.AT_EMPTY_PATH | kernel.AT_RECURSIVE,
        ctypes.byref(attributes), ctypes.sizeof(attributes),
    )  # fmt: skip
    return _Piece(tree, place[1:], stat.S_ISDIR(os.fstat(tree).st_mode))


def _make_room(piece: _Piece) -> None:
    """Make what a piece is mounted on."""
    if piece.is_folder:
        os.makedirs(piece.place, exist_ok=True)
    elif not os.path.lexists(piece.place):
        os.makedirs(os.path.dirname(piece.place), exist_ok=True)
        os.close(os.open(piece.place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _has_room(piece: _Piece, above: str) -> bool:
    """Whether what a piece is mounted on is there, and no link on the way to it from ``above``."""
    way = above
    for part in piece.place.removeprefix(f"{above}/").split("/"):
        way = f"{way}/{part}"
        if os.path.islink(way):
            return False
    return is_folder(way) if piece.is_folder else is_file(way)


def _put(piece: _Piece) -> None:
    _make_room(piece)
    kernel.put_tree(piece.tree, piece.place)


def _empty(files: Iterable[str]) -> None:
    """Let some files be empty, as far as they can be read: most only by root of the machine.

    He is still himself inside.
    """
    os.close(os.open(_NOTHING, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    for file in files:
        if os.access(file, os.R_OK):
            kernel.mount(_NOTHING, file, "", _BIND)
    os.unlink(_NOTHING)


def _furnish(confinement: Confinement) -> None:
    """Make what lies on the new root itself."""
    for folder in ("etc", "proc", "dev", "var"):
        os.mkdir(folder, 0o755)
    for folder in SCRATCH_FOLDERS:
        os.mkdir(folder[1:])
        os.chmod(folder[1:], 0o700 if folder == HOME_VIEW else 0o1777)
    for name in SYSTEM:
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), name)
    for name, target in LINKS.items():
        os.symlink(target, name)
    texts = WRITTEN if confinement.network == "host" else WRITTEN | LOCAL_NAMES
    for name, text in texts.items():
        file = os.open(name, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
        os.write(file, text.encode())
        os.close(file)
