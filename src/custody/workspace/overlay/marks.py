"""How an overlay says that a lower layer is not to be seen.

    whiteout    the name is gone: a character device 0:0, or, in a folder whose mark ``opaque``
                is ``x``, an empty file with the mark ``whiteout``
    opaque      ``y``: nothing of the folder shines through from below

Marks are the extended attributes ``user.overlay.*``, because overlays are mounted with
``userxattr``; whoever works in one of them cannot set these.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from typing import Literal

Form = Literal["device", "attribute"]

OPAQUE = b"y"
"""How a folder says that nothing shines through."""
HOLDS_WHITEOUTS = b"x"
"""How a folder says that files in it may be whiteouts by their marks."""

_SHORT = {f"user.overlay.{mark}": mark for mark in ("opaque", "whiteout", "redirect", "metacopy")}
_NO_DEVICES = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}


def is_device_whiteout(state: os.stat_result) -> bool:
    """Whether this is the device that stands for a name that is gone."""
    return stat.S_ISCHR(state.st_mode) and state.st_rdev == 0


def can_be_set(folder: int) -> bool:
    """Whether the file system of an open folder can hold marks; leaves one on the folder.

    Without them an overlay can be mounted, but no folder of a lower layer can be replaced in it.
    """
    try:
        os.setxattr(folder, "user.overlay.opaque", HOLDS_WHITEOUTS)
    except OSError as error:
        if error.errno in {errno.EOPNOTSUPP, errno.EPERM, errno.EACCES, errno.ENOSYS}:
            return False
        raise
    return True


def attributes(descriptor: int) -> list[str]:
    """Return the names of all extended attributes of an open file or folder."""
    try:
        return os.listxattr(descriptor)
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        return []


def of(descriptor: int) -> dict[str, str]:
    """Return the marks of an open file or folder that matter: short names, and the full ones."""
    return among(attributes(descriptor))


def among(names: Iterable[str]) -> dict[str, str]:
    """Return the marks among the names of attributes."""
    return {_SHORT[full]: full for full in names if full in _SHORT}


def opaqueness(descriptor: int, there: dict[str, str]) -> bytes:
    """Return the mark ``opaque`` of an open folder; empty where it has none."""
    full = there.get("opaque")
    return b"" if full is None else os.getxattr(descriptor, full)


def make_whiteout(folder: int, name: str, form: Form | None = None) -> None:
    """Hide ``name`` of the layers below; by a device, and by attributes where none can be made."""
    if form != "attribute":
        try:
            os.mknod(name, stat.S_IFCHR, os.makedev(0, 0), dir_fd=folder)
        except OSError as error:
            if form is not None or error.errno not in _NO_DEVICES:
                raise
        else:
            return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        os.setxattr(descriptor, "user.overlay.whiteout", b"y")
    finally:
        os.close(descriptor)
    os.setxattr(folder, "user.overlay.opaque", HOLDS_WHITEOUTS)
