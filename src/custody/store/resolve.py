"""From a name below a directory to a descriptor, without ever leaving the directory.

A resolver opens ``path`` below ``directory`` and follows no symlink, in the middle or at the
end. There are three:

    beneath   openat2(2): one call, the kernel keeps every promise
    walk      one component at a time with O_NOFOLLOW, for kernels without openat2; crossing
              a mount point is found by comparing mount ids
    own       the same walk without the mount ids, for directories that only custody writes

Names are relative and hold no empty, ``.`` or ``..`` component: `Root` sees to that.
Symlinks raise ``ELOOP`` and mount points ``EXDEV``, whichever resolver met them.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from custody.store import syscalls

Resolver = Callable[[int, str, int, int], int]
"""``(directory, path, flags, mode) -> descriptor``."""

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_BENEATH = (
    syscalls.RESOLVE_BENEATH
    | syscalls.RESOLVE_NO_SYMLINKS
    | syscalls.RESOLVE_NO_MAGICLINKS
    | syscalls.RESOLVE_NO_XDEV
)


def beneath(directory: int, path: str, flags: int, mode: int) -> int:
    """Open by openat2, or by `walk` where the kernel has none."""
    if not syscalls.has_openat2():
        return walk(directory, path, flags, mode)
    return syscalls.openat2(directory, os.fsencode(path), flags, mode, _BENEATH)


def walk(directory: int, path: str, flags: int, mode: int) -> int:
    """Open one component at a time, and refuse to cross a mount point."""
    return _walk(directory, path, flags, mode, _mount_id(directory))


def own(directory: int, path: str, flags: int, mode: int) -> int:
    """Open one component at a time in a directory that nobody else writes."""
    if "/" in path:
        return _walk(directory, path, flags, mode, None)
    return _open(path, flags, mode, directory)


def _walk(directory: int, path: str, flags: int, mode: int, mount: str | None) -> int:
    current = directory
    *folders, last = path.split("/")
    try:
        for name in folders:
            current = _step(current, directory, _open(name, DIRECTORY, 0, current))
            _refuse_mount(current, mount)
        found = _open(last, flags, mode, current)
    finally:
        if current != directory:
            os.close(current)
    try:
        _refuse_mount(found, mount)
    except OSError:
        os.close(found)
        raise
    return found


def _step(current: int, directory: int, following: int) -> int:
    if current != directory:
        os.close(current)
    return following


def _open(name: str, flags: int, mode: int, directory: int) -> int:
    try:
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=directory)
    except NotADirectoryError:
        # O_DIRECTORY hides whether the name was a symlink or a file.
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise


def _refuse_mount(descriptor: int, mount: str | None) -> None:
    if mount is not None and _mount_id(descriptor) != mount:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def _mount_id(descriptor: int) -> str:
    """Return the id of the mount that a descriptor lies on; the device where /proc is absent."""
    try:
        information = os.open(f"/proc/self/fdinfo/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return f"device {os.fstat(descriptor).st_dev}"
    try:
        text = os.read(information, 4096).decode()
    finally:
        os.close(information)
    return text.partition("mnt_id:")[2].split(maxsplit=1)[0]
