"""A copy of a tree of files that shares nothing with it but, where the disk can, its blocks."""

from __future__ import annotations

import errno
import os
import stat

from custody.store import files
from custody.store.os_errors import failure
from custody.store.root import Root

_RIGHTS = 0o777
_NO_COPY = {errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM}
"""How the kernel says that a file must be copied in another way."""
_READ = files.READ | os.O_NOFOLLOW


def copy_tree(source: Root, target: Root) -> None:
    """Copy files, folders and symlinks into an empty folder, with their rights and times.

    Every file is a new one, whatever names it has: nobody who writes to the copy writes to the
    source. Pipes, sockets and devices are left out. Raises `StorageFailed` when the disk fails.
    """
    waiting = [""]
    closed: list[tuple[str, int]] = []
    while waiting:
        folder = waiting.pop()
        with _below(source, folder) as here, _below(target, folder) as there:
            for name in here.names():
                path = f"{folder}/{name}" if folder else name
                mode = _copy(here, there, name)
                if mode is None:
                    continue
                waiting.append(path)
                if mode & stat.S_IRWXU != stat.S_IRWXU:
                    closed.append((path, mode))
    for path, mode in reversed(closed):
        target.change_mode(path, mode)


def _below(root: Root, folder: str) -> Root:
    return Root(root.open_dir(folder), f"{root.path}/{folder}" if folder else root.path)


def _copy(source: Root, target: Root, name: str) -> int | None:
    """Copy one name; return the mode of what is a folder, which is open to its owner for now."""
    state = source.stat(name)
    mode = state.st_mode & _RIGHTS
    try:
        if stat.S_ISDIR(state.st_mode):
            target.make_dir(name, mode | stat.S_IRWXU)
            return mode
        if stat.S_ISLNK(state.st_mode):
            os.symlink(os.readlink(name, dir_fd=source.fd), name, dir_fd=target.fd)
        elif stat.S_ISREG(state.st_mode):
            _copy_file(source, target, name, mode)
    except OSError as error:
        raise failure(error, f"{target.path}/{name}") from error
    return None


def _copy_file(source: Root, target: Root, name: str, mode: int) -> None:
    read = os.open(name, _READ, dir_fd=source.fd)
    try:
        written = files.open_new(target.fd, name)
        try:
            state = os.fstat(read)
            _copy_bytes(read, written, state.st_size)
            os.fchmod(written, mode)
            os.utime(written, ns=(state.st_atime_ns, state.st_mtime_ns))
        finally:
            os.close(written)
    finally:
        os.close(read)


def _copy_bytes(read: int, written: int, size: int) -> None:
    """Copy inside the kernel, which lets file systems that can do it share the blocks."""
    at = 0
    try:
        while at < size and (count := os.copy_file_range(read, written, size - at)):
            at += count
    except OSError as error:
        if error.errno not in _NO_COPY:
            raise
    while at < size and (count := os.sendfile(written, read, at, size - at)):
        at += count
