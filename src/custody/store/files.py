"""What is done with one open directory and one name in it, or with one open file.

Functions here raise `OSError` as the system does, and `PathRefused` for what is no plain file;
`Root` turns both into words with a place.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Iterable, Iterator

from custody.errors import PathRefused
from custody.patterns import later
from custody.store import syscalls

_TEMPORARY = later(r"\.tmp\.[0-9]+\.[0-9]+")

READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 18
PATIENCE = 10.0
"""Seconds for which something must come of a pipe that the user named."""

_counter = itertools.count()
_replaced = itertools.count()
_RENAMES = 16
"""So many files are replaced by rename; from then on loading ctypes is worth its while."""


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write every byte, however many calls it takes."""
    written = os.write(descriptor, data)
    if written == len(data):
        return
    rest = memoryview(data)[written:]
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def regular(descriptor: int, limit: int) -> os.stat_result:
    """Return the state of an open file; refuses what is no regular file of at most ``limit``."""
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        raise PathRefused("not_regular", "it is not a regular file")
    if state.st_size > limit:
        raise PathRefused("too_large", f"it has {state.st_size} bytes; the limit is {limit}")
    return state


def plain(descriptor: int, limit: int, links: int = 1) -> os.stat_result:
    """Do what `regular` does, and refuse a file that has more names than ``links``."""
    state = regular(descriptor, limit)
    if state.st_nlink > links:
        raise PathRefused("hardlink", "the file has a second name, perhaps elsewhere")
    return state


def read_exactly(descriptor: int, size: int) -> bytes:
    """Return the content of a file that should have ``size`` bytes; one more if there are more."""
    data = os.pread(descriptor, size + 1, 0)
    while len(data) < size and (more := os.pread(descriptor, size + 1 - len(data), len(data))):
        data += more
    return data


def read_all(descriptor: int, limit: int, links: int = 1) -> bytes:
    """Return the content of a plain file; ``changed_during_read`` when someone wrote meanwhile."""
    before = plain(descriptor, limit, links)
    data = os.read(descriptor, before.st_size + 1)
    while len(data) < before.st_size and (more := os.read(descriptor, before.st_size + 1)):
        data += more
    refuse_changed(descriptor, before, len(data))
    return data


def refuse_device(descriptor: int) -> None:
    """Refuse a device: it may never end, and never begin."""
    if stat.S_IFMT(os.fstat(descriptor).st_mode) in {stat.S_IFCHR, stat.S_IFBLK}:
        raise PathRefused("not_regular", "it is a device")


def read_to_end(descriptor: int, limit: int, patience: float | None = None) -> bytes:
    """Return what a file or pipe holds; refuses more than ``limit``.

    A pipe to which nobody writes is over; with ``patience``, so is one to which somebody could
    write and has not for so many seconds, which is refused.
    """
    data = bytearray()
    while piece := _next_piece(descriptor, patience):
        data += piece
        if len(data) > limit:
            raise PathRefused("too_large", f"it has more than {limit} bytes")
    return bytes(data)


def _next_piece(descriptor: int, patience: float | None) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        import select

        if not select.select([descriptor], [], [], patience)[0]:
            raise PathRefused("not_regular", "it is a pipe, and nothing comes of it") from None
        return os.read(descriptor, _CHUNK)


def chunks(descriptor: int, limit: int) -> Iterator[memoryview]:
    """Yield the content of a plain file in pieces; each is valid until the next is asked for.

    The last step raises ``changed_during_read`` when someone wrote meanwhile.
    """
    before = plain(descriptor, limit)
    size = 0
    for piece in pieces(descriptor, before.st_size + 1):
        size += len(piece)
        if size <= before.st_size:
            yield piece
    refuse_changed(descriptor, before, size)


def pieces(descriptor: int, most: int) -> Iterator[memoryview]:
    """Yield what is left to read, up to ``most`` bytes; each is valid until the next is asked for.

    Who changes the file meanwhile is not noticed.
    """
    buffer = memoryview(bytearray(min(_CHUNK, most)))
    while most and (count := os.readv(descriptor, [buffer[:most]])):
        most -= count
        yield buffer[:count]


def refuse_changed(descriptor: int, before: os.stat_result, size: int) -> None:
    """Raise ``changed_during_read`` unless the file is as it was and ``size`` bytes long."""
    after = os.fstat(descriptor)
    if (
        size != before.st_size
        or after.st_size != before.st_size
        or after.st_mtime_ns != before.st_mtime_ns
        or after.st_ctime_ns != before.st_ctime_ns
    ):
        raise PathRefused("changed_during_read", "it changed while it was read")


def hash_all(descriptor: int, most: int = sys.maxsize) -> tuple[str, int]:
    """Return sha256 and size of what is left to read, whoever changes it meanwhile."""
    hasher = hashlib.sha256()
    size = 0
    for piece in pieces(descriptor, most):
        hasher.update(piece)
        size += len(piece)
    return hasher.hexdigest(), size


def digest(descriptor: int, limit: int) -> tuple[str, int]:
    """Return sha256 and size of a plain file, in constant memory."""
    hasher = hashlib.sha256()
    size = 0
    for chunk in chunks(descriptor, limit):
        hasher.update(chunk)
        size += len(chunk)
    return hasher.hexdigest(), size


def refuse_odd_target(folder: int, name: str) -> bool:
    """Refuse to replace anything but a plain file; return whether there is one."""
    try:
        state = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if stat.S_ISLNK(state.st_mode):
        raise PathRefused("symlink", "a symlink stands there")
    if not stat.S_ISREG(state.st_mode):
        raise PathRefused("not_regular", "something other than a regular file stands there")
    if state.st_nlink > 1:
        raise PathRefused("hardlink", "the file has a second name, perhaps elsewhere")
    return True


def temporary_name() -> str:
    """Return a name that no other live process of this machine uses."""
    return f".tmp.{os.getpid()}.{next(_counter)}"


def is_temporary(name: str) -> bool:
    """Whether `temporary_name` could have made this name."""
    return _TEMPORARY.fullmatch(name) is not None


def put(
    folder: int, name: str, data: bytes | Iterable[bytes], mode: int | None, *, sync: bool
) -> None:
    """Write ``data`` under a temporary name, then give it ``name``, new or a plain file's.

    It may come in pieces, each when the one before is written. Whatever
    fails, the temporary is gone afterwards and ``name`` is what it was.
    """
    replacing = refuse_odd_target(folder, name)
    temporary = temporary_name()
    try:
        write_new(folder, temporary, data, mode, sync=sync)
        if replacing and not sync and next(_replaced) >= _RENAMES:
            _exchange(folder, temporary, name)
        else:
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        discard(folder, temporary)
        raise


def _exchange(folder: int, temporary: str, name: str) -> None:
    """Do what a rename does, but let the old file go in a step of its own.

    Some file systems write a file out when it is renamed onto another, which takes longer than
    everything else and is of no use to a file that nobody syncs.
    """
    try:
        syscalls.exchange(folder, temporary, name)
    except OSError:  # not every file system can, and the name may be gone: rename tells
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(temporary, dir_fd=folder)


def replace_link(folder: int, name: str, target: str) -> None:
    """Put a symlink there under a temporary name, then rename it."""
    temporary = temporary_name()
    try:
        os.symlink(target, temporary, dir_fd=folder)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        discard(folder, temporary)
        raise


def remove(folder: int, name: str) -> None:
    """Remove a file, a symlink or an empty directory."""
    try:
        os.unlink(name, dir_fd=folder)
    except IsADirectoryError:
        os.rmdir(name, dir_fd=folder)


def remove_tree(folder: int, name: str) -> None:
    """Remove a file, or a directory with everything below it, without following symlinks.

    Subdirectories are first moved up beside ``name`` under temporary names, so that depth costs
    neither descriptors nor recursion; a directory that its owner closed is opened again.
    """
    waiting = [name]
    while waiting:
        current = waiting.pop()
        try:
            remove(folder, current)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EACCES}:
                raise
            waiting.append(current)
            waiting.extend(_empty(folder, current))


def _empty(folder: int, name: str) -> list[str]:
    """Remove the files of a directory, move its subdirectories out and return their new names."""
    moved: list[str] = []
    directory = _enter(folder, name)
    try:
        with os.scandir(directory) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for entry, is_directory in names:
            if not is_directory:
                os.unlink(entry, dir_fd=directory)
                continue
            os.close(_enter(directory, entry))
            moved.append(temporary_name())
            os.rename(entry, moved[-1], src_dir_fd=directory, dst_dir_fd=folder)
    finally:
        os.close(directory)
    return moved


def _enter(folder: int, name: str) -> int:
    """Open a directory after giving its owner every right to it."""
    handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if os.fstat(handle).st_mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=handle)
    finally:
        os.close(handle)


def discard(folder: int, name: str) -> None:
    """Remove a temporary file if it is there; a disk may fail once, and what fails is swept later.

    Nobody sweeps what the last act of a run leaves: so it is tried again.
    """
    for _ in range(2):
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            return
        except OSError:
            continue
        return


def open_new(folder: int, name: str, mode: int = 0o644) -> int:
    """Create ``name`` for writing and return its descriptor; the mode is less the umask."""
    return os.open(name, _WRITE_NEW, mode, dir_fd=folder)


def present(folder: int, name: str) -> bool:
    """Whether anything has that name."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def sync(folder: int, name: str) -> None:
    """Make a file's content, or a directory's names, durable."""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(
    folder: int, name: str, data: bytes | Iterable[bytes], mode: int | None, *, sync: bool
) -> None:
    """Create ``name`` with ``data``; without ``mode`` it is 0644 less the umask."""
    descriptor = open_new(folder, name)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        for piece in (data,) if isinstance(data, bytes) else data:
            write_all(descriptor, piece)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
