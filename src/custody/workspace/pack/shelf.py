"""The files of a repository, opened without leaving it: one version of each."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import TypeVar

from custody.errors import PathRefused, StorageFailed
from custody.model.relpath import RelPath
from custody.store import files
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.pack.failure import NoPack, pack_failure
from custody.workspace.pack.sight import PackSight

TRIES = 10
"""How often a file is read that changes meanwhile."""

_T = TypeVar("_T")


class Shelf:
    """What a librarian takes files from."""

    def __init__(self, root: Root, sight: PackSight) -> None:
        self._root = root
        self._sight = sight

    def read(self, file: RelPath, use: Callable[[int, int], _T]) -> _T:
        """Return what ``use`` makes of an open file and its size.

        Raises `PathRefused` for what is no file to be shown, and `NoPack` for one that never holds
        still.
        """
        for _ in range(TRIES):
            descriptor = self._open(file)
            try:
                before = _regular(descriptor)
                found = use(descriptor, before.st_size)
                files.refuse_changed(descriptor, before, before.st_size)
            except PathRefused as refused:
                if refused.code != "changed_during_read":
                    raise
            except OSError as error:
                raise StorageFailed(str(failure(error, str(file)))) from error
            else:
                return found
            finally:
                os.close(descriptor)
        what = f"{file} changes while it is read"
        raise NoPack(pack_failure("changed_during_read", what, "try again", [str(file)]))

    def _open(self, file: RelPath) -> int:
        try:
            return self._root.open_fd(file, files.READ)
        except PathRefused as refused:
            if refused.code != "symlink":
                raise
        return self._root.open_fd(self._sight.behind(file), files.READ)


def _regular(descriptor: int) -> os.stat_result:
    state = os.fstat(descriptor)
    if stat.S_ISDIR(state.st_mode):
        raise PathRefused("directory", "it is a directory")
    if not stat.S_ISREG(state.st_mode):
        raise PathRefused("not_regular", "it is a pipe, a socket or a device")
    return state
