"""An overlay that is really mounted, in a process of its own, and what is seen in it."""

from __future__ import annotations

import ctypes
import os
import pickle
from collections.abc import Callable
from typing import TypeVar

import custody.workspace.overlay.stack  # noqa: F401 - nobody may be unable to read what is loaded late
from custody.store import syscalls
from custody.workspace.overlay.layer import Layers
from support.forking import fork

NOBODY = 65534
_NEWNS, _NEWUSER = 0x20000, 0x10000000
_REC_PRIVATE = 0x4000 | 0x40000
_SET_DUMPABLE = 4
_T = TypeVar("_T")


def in_child(work: Callable[[], _T]) -> _T:
    """Do something in a process of its own; return what it returns, raise what it raises."""
    reader, writer = os.pipe()
    child = fork()
    if child == 0:
        try:
            os.close(reader)
            told = pickle.dumps((True, work()))
        except BaseException as error:  # noqa: BLE001
            told = pickle.dumps((False, f"{type(error).__name__}: {error}"))
        try:
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(told)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    done, result = pickle.loads(told)
    assert done, result
    return result  # type: ignore[no-any-return]


def become_nobody() -> None:
    """Give up the rights of root, where there are any."""
    syscalls.has_openat2()  # loads what it needs
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        # Without it /proc/self, where a user namespace is set up, still belongs to root.
        _call("prctl", _SET_DUMPABLE, 1, 0, 0, 0)


def inside(layers: Layers, work: Callable[[str], _T], *, options: str = "userxattr") -> _T:
    """Mount the layers in a namespace of their own and do something there.

    Root gets a mount namespace; everybody else a user namespace as well.
    """

    def mounted() -> _T:
        new_mount_namespace()
        _mount(layers, place, options)
        return work(place)

    place = f"{os.path.dirname(layers.upper)}/merged"
    os.mkdir(place)
    try:
        return in_child(mounted)
    finally:
        os.rmdir(place)


def new_mount_namespace() -> None:
    """Let this process mount what nobody else sees."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        _call("unshare", _NEWNS)
    else:
        _call("unshare", _NEWNS | _NEWUSER)
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"0 {user} 1"),
            ("gid_map", f"0 {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
                file.write(text)
    _call("mount", b"none", b"/", None, _REC_PRIVATE, None)


def mount(kind: str, place: str) -> None:
    """Mount an empty file system of a kind."""
    _call("mount", kind.encode(), place.encode(), kind.encode(), 0, None)


def _mount(layers: Layers, place: str, options: str) -> None:
    lower = ":".join(layers.lower)
    data = f"lowerdir={lower},upperdir={layers.upper},workdir={layers.work}"
    data += f",{options}" if options else ""
    _call("mount", b"overlay", place.encode(), b"overlay", 0, data.encode())


def _call(name: str, *arguments: object) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
