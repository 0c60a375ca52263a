"""Files that appear whole where nothing was, or not at all: several may try, one of them does."""

from __future__ import annotations

import errno
import os

from custody.store import files, syscalls

_NO_EXCLUSIVE_RENAME = {errno.EINVAL, errno.ENOSYS}
_UNSUPPORTED = {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT, errno.EACCES}


def create(folder: int, name: str, data: bytes, mode: int | None, *, sync: bool) -> None:
    """Make ``name`` appear whole; raises `FileExistsError` when it is there."""
    try:
        _create_nameless(folder, name, data, mode, sync=sync)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        create_by_rename(folder, name, data, mode, sync=sync)


def create_by_rename(folder: int, name: str, data: bytes, mode: int | None, *, sync: bool) -> None:
    """Do what `create` does on file systems that know no files without a name."""
    temporary = files.temporary_name()
    try:
        files.write_new(folder, temporary, data, mode, sync=sync)
        try:
            syscalls.rename_exclusively(folder, temporary, name)
        except OSError as error:
            if error.errno not in _NO_EXCLUSIVE_RENAME:
                raise
            publish_by_link(folder, temporary, name)
    except BaseException:
        files.discard(folder, temporary)
        raise


def publish_by_link(folder: int, temporary: str, name: str) -> None:
    """Let a file change its name where a rename cannot be told to replace nothing, as over NFS.

    There an answer can get lost and a link be made twice, the second time in vain: whether it
    was made at all is seen by the number of names.
    """
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        if os.stat(temporary, dir_fd=folder, follow_symlinks=False).st_nlink == 1:
            raise
    os.unlink(temporary, dir_fd=folder)


def _create_nameless(folder: int, name: str, data: bytes, mode: int | None, *, sync: bool) -> None:
    """Write a file without a name, then give it one: a crash leaves nothing behind."""
    descriptor = os.open(".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o644, dir_fd=folder)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        files.write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
        os.link(f"/proc/self/fd/{descriptor}", name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(descriptor)
