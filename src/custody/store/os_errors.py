"""What an error of the operating system means: a refusal, or a disk that failed.

Codes of `PathRefused`: ``symlink`` ``xdev`` ``missing`` ``not_directory`` ``not_regular``
``exists`` ``not_empty`` ``too_long`` ``unreadable``. Everything else is `StorageFailed`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from custody.errors import CustodyError, PathRefused, StorageFailed

_REFUSALS = {
    errno.ELOOP: ("symlink", "a symlink stands in the way"),
    errno.EXDEV: ("xdev", "it lies on another file system"),
    errno.EBUSY: ("xdev", "something is mounted there"),
    errno.ENOENT: ("missing", "there is no such file"),
    errno.ENOTDIR: ("not_directory", "a part of the path is not a directory"),
    errno.EISDIR: ("not_regular", "it is a directory"),
    errno.ENXIO: ("not_regular", "it is a socket, a pipe or a device"),
    errno.ENODEV: ("not_regular", "it is a device"),
    errno.EEXIST: ("exists", "it is there already"),
    errno.ENOTEMPTY: ("not_empty", "the directory is not empty"),
    errno.ENAMETOOLONG: ("too_long", "the name is too long"),
}

_READ_REFUSALS = {
    **_REFUSALS,
    errno.ENOTDIR: ("missing", "there is no such file"),
    errno.EACCES: ("unreadable", "permission to read is missing"),
    errno.EPERM: ("unreadable", "permission to read is missing"),
}

_HINTS = {
    errno.ENOSPC: "free some space on that disk, then `custody resume RUN`",
    errno.EDQUOT: "the quota is used up: free some space, then `custody resume RUN`",
    errno.EFBIG: "the file would exceed a size limit of this process or file system",
    errno.EROFS: "the file system is mounted read-only",
    errno.EACCES: "check the owner and the mode of the directory",
    errno.EPERM: "check the owner, the mode and the attributes (lsattr) of the file",
    errno.EIO: "the disk reports errors: look at the kernel's log before going on",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "the system has too many open files",
}


def failure(error: OSError, where: str, *, reading: bool = False) -> CustodyError:
    """Return what to raise for ``error`` at ``where``."""
    code = error.errno or 0
    known = (_READ_REFUSALS if reading else _REFUSALS).get(code)
    if known is not None:
        return PathRefused(known[0], known[1], where=where)
    what = os.strerror(code).lower() if code else str(error)
    return StorageFailed(what, where=where, hint=_HINTS.get(code, ""))


@contextmanager
def still_there(where: str) -> Iterator[None]:
    """Do something to what stood there at the last look; what is gone, or closed, is left alone.

    Raises `StorageFailed` when the disk fails.
    """
    try:
        yield
    except PathRefused:
        return
    except OSError as error:
        told = failure(error, where, reading=True)
        if not isinstance(told, PathRefused):
            raise told from error
