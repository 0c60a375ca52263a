"""Rights that nobody gets by way of a workspace: setuid, setgid and capabilities of files.

A copy belongs to whoever made it: a program that ran as one user would run as another, or with
what the kernel grants a file, once it was copied, promoted or restored. So these rights are dropped
wherever something is taken over, and whose they were is recorded. A folder keeps its sticky bit,
which takes rights away; on a file it means nothing.

A mode means something by the owner, the group and the access list beside it alone. What takes the
place of a user's file gets them from it: else rights of one group would be those of another.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

import msgspec

from custody.model.change import Entry
from custody.store.os_errors import still_there
from custody.store.root import Root

CAPABILITY = "security.capability"
ACCESS_LIST = "system.posix_acl_access"
SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX

_EXECUTABLE = 0o111
_NONE_THERE = {errno.ENODATA, errno.EOPNOTSUPP}
_NOT_OURS_TO_GIVE = {errno.EPERM, errno.EINVAL}


def kept_mode(mode: int) -> int:
    """Return what is taken over of a mode as `os.stat` tells it."""
    bits = stat.S_IMODE(mode)
    return bits & ~(SPECIAL & ~stat.S_ISVTX) if stat.S_ISDIR(mode) else bits & ~SPECIAL


def changed_mode(mode: int, *, executable: bool) -> int:
    """Return the mode of a file that is written anew: nobody can read or write it who could not.

    Whoever can read it can run it if it is ``executable``, and nobody otherwise.
    """
    bits = kept_mode(stat.S_IFREG | stat.S_IMODE(mode)) & ~_EXECUTABLE
    return bits | (bits >> 2 & _EXECUTABLE) if executable else bits


def pass_on(old: int, new: int, mode: int) -> bool:
    """Give an open file the owner, the group and the access list of the one it comes in place of.

    ``mode`` is what it has then. Tells whether it could be: a group that the user may not give
    gets nothing, and neither does the one that the file has instead.
    """
    before, now = os.fstat(old), os.fstat(new)
    if not _belongs_as(new, before, now) and mode >> 3 & ~mode & stat.S_IRWXO:
        os.fchmod(new, mode & ~stat.S_IRWXG)
        return False
    try:
        listed = os.getxattr(old, ACCESS_LIST)
    except OSError as error:
        if error.errno not in _NONE_THERE:
            raise
    else:
        os.setxattr(new, ACCESS_LIST, listed)
    os.fchmod(new, mode)
    return True


def _belongs_as(new: int, before: os.stat_result, now: os.stat_result) -> bool:
    """Let a file belong to whom another one does, the group before all; tell whether it does."""
    for owner in (before.st_uid, -1):
        if before.st_gid == now.st_gid and owner in {now.st_uid, -1}:
            return True
        try:
            os.fchown(new, owner, before.st_gid)
        except OSError as error:
            if error.errno not in _NOT_OURS_TO_GIVE:
                raise
        else:
            return True
    return False


def lowered(entry: Entry) -> Entry:
    """Return the entry without the rights that are dropped."""
    if not entry.mode & SPECIAL or entry.kind not in {"file", "dir"}:
        return entry
    kind = stat.S_IFDIR if entry.kind == "dir" else stat.S_IFREG
    return msgspec.structs.replace(entry, mode=kept_mode(kind | entry.mode))


def agree(wanted: Entry | None, actual: Entry | None) -> bool:
    """Whether something is as expected; older records expect rights that are dropped by now."""
    return wanted == actual or (wanted is not None and lowered(wanted) == actual)


def has_capability(folder: int, name: str, mode: int) -> bool:
    """Whether a file in an open folder has capabilities; they are of use to programs alone."""
    if not mode & _EXECUTABLE:
        return False
    try:
        os.getxattr(f"/proc/self/fd/{folder}/{name}", CAPABILITY, follow_symlinks=False)
    except OSError as error:
        if error.errno in _NONE_THERE:
            return False
        raise
    return True


def drop_all(root: Root, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Take these rights from what stands in a workspace; return the paths that had any.

    Raises `StorageFailed` when the disk fails.
    """
    dropped = []
    for entry in entries:
        with still_there(f"{root.path}/{entry.path}"):
            if _drop(root, entry):
                dropped.append(entry.path)
    return tuple(sorted(dropped))


def _drop(root: Root, entry: Entry) -> bool:
    special = lowered(entry) != entry
    program = entry.kind == "file" and entry.mode & _EXECUTABLE
    if not special and not program:
        return False
    with root.parent(entry.path) as (folder, name):
        able = bool(program) and has_capability(folder, name, entry.mode)
        if not able and not special:
            return False
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if able:
            os.removexattr(f"/proc/self/fd/{handle}", CAPABILITY)
        os.chmod(f"/proc/self/fd/{handle}", lowered(entry).mode)
    finally:
        os.close(handle)
    return True
