"""Puts what a stage changed on its own layer into the workspace.

The truth is the recorded diff with its blobs. A promotion may therefore be broken off anywhere:
done again, or finished by `Workspace.restore` in another process, it ends the same.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping

from custody.errors import PathRefused
from custody.model.change import Change, Entry
from custody.store import files
from custody.store.blobs import Blobs
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.overlay import marks
from custody.workspace.overlay.layer import Upper
from custody.workspace.restore import Restoration
from custody.workspace.rights import CAPABILITY, SPECIAL

_NOT_TO_BE_MOVED = {errno.EXDEV, errno.ENOENT, errno.EACCES, errno.EPERM}


class Promotion(Restoration):
    """Knows how to move files out of an upper directory; what is left comes from the blobs."""

    def __init__(self, run: Root, blobs: Blobs, layer: Root, upper: Upper) -> None:
        super().__init__(run, blobs)
        self._layer = layer
        self._states = upper.states
        self._owner = os.geteuid()

    def promote(self, changes: Iterable[Change], root: Root, expected: Mapping[str, Entry]) -> None:
        """Make every changed path of the workspace what ``expected`` says it is by now."""
        difference = {
            change.path: (change.after, change.before if _is_there(root, change) else None)
            for change in changes
        }
        self.put_back(root, difference, expected)

    def _put_file(self, root: Root, path: str, wanted: Entry) -> None:
        if not self._move(root, path):
            super()._put_file(root, path, wanted)

    def _move(self, root: Root, path: str) -> bool:
        """Move a file that is still the one that was read, and has no other name or owner."""
        read = self._states.get(path)
        if read is None or read.st_nlink > 1 or read.st_uid != self._owner:
            return False
        if read.st_mode & SPECIAL:
            return False
        try:
            with (
                self._layer.parent(path) as (source, name),
                root.parent(path) as (target, _),
            ):
                if _version(os.stat(name, dir_fd=source, follow_symlinks=False)) != _version(read):
                    return False
                _drop_attributes(source, name)
                os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
        except OSError as error:
            if error.errno in _NOT_TO_BE_MOVED:
                return False
            raise failure(error, f"{root.path}/{path}") from error
        return True


def _is_there(root: Root, change: Change) -> bool:
    """Whether the workspace still holds what a change replaces or removes.

    Where the way there leads over a symlink, a folder has been replaced by it, or will replace it.
    """
    if change.before is None:
        return False
    try:
        return root.exists(change.path)
    except PathRefused as refused:
        if refused.code != "symlink":
            raise
        return False


def _drop_attributes(folder: int, name: str) -> None:
    """Remove what no diff records: a file is the same whether it is moved or comes from a blob.

    Labels of security modules stay; they are not for anybody here to remove.
    """
    descriptor = os.open(name, files.READ | os.O_NOFOLLOW, dir_fd=folder)
    try:
        for attribute in marks.attributes(descriptor):
            if not attribute.startswith("security.") or attribute == CAPABILITY:
                os.removexattr(descriptor, attribute)
    finally:
        os.close(descriptor)


def _version(state: os.stat_result) -> tuple[int, ...]:
    return (
        state.st_ino,
        state.st_mode,
        state.st_size,
        state.st_nlink,
        state.st_mtime_ns,
        state.st_ctime_ns,
    )
