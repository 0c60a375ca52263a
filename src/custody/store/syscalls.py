"""System calls that Python does not offer.

ctypes costs a few milliseconds to load, so it is loaded at the first call. Every function
raises `OSError` as the functions of `os` do; ``ENOSYS`` where kernel or C library lack a call.
"""

from __future__ import annotations

import errno
import os
import signal
from functools import cache
from typing import Any

RESOLVE_NO_XDEV = 0x01
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

_OPENAT2 = 437
_RENAME_NOREPLACE = 1
_RENAME_EXCHANGE = 2
_SET_PARENT_DEATH_SIGNAL = 1


@cache
def _ctypes() -> tuple[Any, Any]:
    import ctypes

    return ctypes, ctypes.CDLL(None, use_errno=True)


def load() -> None:
    """Load ctypes now: whoever is forked afterwards need not."""
    _ctypes()


@cache
def _how(flags: int, mode: int, resolve: int) -> tuple[Any, int]:
    """Return ``struct open_how`` and its size; the few that occur are made once."""
    ctypes, _ = _ctypes()
    fields = (ctypes.c_uint64 * 3)(flags, mode, resolve)
    return ctypes.byref(fields), ctypes.sizeof(fields)


def openat2(directory: int, path: bytes, flags: int, mode: int, resolve: int) -> int:
    """Open ``path`` below ``directory`` and return the descriptor."""
    if b"\0" in path:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    ctypes, library = _ctypes()
    how, size = _how(flags | os.O_CLOEXEC, mode if flags & os.O_CREAT else 0, resolve)
    while True:
        descriptor: int = library.syscall(_OPENAT2, directory, path, how, size)
        if descriptor >= 0:
            return descriptor
        code = ctypes.get_errno()
        if code not in {errno.EINTR, errno.EAGAIN}:
            raise OSError(code, os.strerror(code), path)


@cache
def has_openat2() -> bool:
    """Whether the kernel has openat2 and lets this process use it."""
    try:
        os.close(openat2(_AT_FDCWD, b".", os.O_PATH | os.O_DIRECTORY, 0, RESOLVE_BENEATH))
    except OSError as error:
        if error.errno in {errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.E2BIG}:
            return False
        raise
    return True


_AT_FDCWD = -100


def rename_exclusively(directory: int, source: str, target: str) -> None:
    """Rename inside ``directory``; raises `FileExistsError` when ``target`` is there."""
    _renameat2(directory, source, target, _RENAME_NOREPLACE)


def exchange(directory: int, one: str, other: str) -> None:
    """Let two files of ``directory`` change names at once."""
    _renameat2(directory, one, other, _RENAME_EXCHANGE)


def move_exclusively(directory: int, source: str, into: int, target: str) -> None:
    """Rename from one directory to another; raises `FileExistsError` when ``target`` is there."""
    _move(directory, source, into, target, _RENAME_NOREPLACE)


def exchange_between(directory: int, one: str, other_directory: int, other: str) -> None:
    """Let two files of two directories change places at once."""
    _move(directory, one, other_directory, other, _RENAME_EXCHANGE)


def _renameat2(directory: int, source: str, target: str, flags: int) -> None:
    _move(directory, source, directory, target, flags)


def _move(directory: int, source: str, into: int, target: str, flags: int) -> None:
    ctypes, library = _ctypes()
    call = getattr(library, "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), target)
    if call(directory, os.fsencode(source), into, os.fsencode(target), flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), target)


def syncfs(descriptor: int) -> None:
    """Make everything on the file system of ``descriptor`` durable."""
    ctypes, library = _ctypes()
    if library.syncfs(descriptor) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def die_with_parent() -> None:
    """Be killed when the thread that forked this process ends; one that has is not noticed."""
    ctypes, library = _ctypes()
    if library.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
