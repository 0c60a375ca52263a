"""The files of an open folder, for patches to be applied to; symlinks are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection

from custody.errors import PathRefused
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.store.root import Root

_NOTHING = frozenset({"missing", "not_directory"})


class RootTree:
    """What stands below a folder.

    Raises `PathRefused` for what is no file, folder or symlink, and for what lies behind a symlink.
    """

    def __init__(self, root: Root) -> None:
        self._root = root

    def read(self, path: bytes) -> File | None:
        """Return what stands at a path; None where no file and no symlink is."""
        name = os.fsdecode(path)
        mode = self._mode(name)
        if mode is None or stat.S_ISDIR(mode):
            return None
        if stat.S_ISLNK(mode):
            return File(SYMLINK, os.fsencode(self._root.read_link(name)))
        return File(EXECUTABLE if mode & stat.S_IXUSR else REGULAR, self._root.read(name))

    def below(self, path: bytes) -> Collection[bytes]:
        """Return every path below a folder but those of folders; none where no folder is."""
        found: list[bytes] = []
        waiting = [os.fsdecode(path)]
        if not stat.S_ISDIR(self._mode(waiting[0]) or 0):
            return found
        while waiting:
            folder = waiting.pop()
            with self._root.scan(folder) as items:
                for item in items:
                    name = f"{folder}/{item.name}"
                    if item.is_dir(follow_symlinks=False):
                        waiting.append(name)
                    else:
                        found.append(os.fsencode(name))
        return found

    def _mode(self, name: str) -> int | None:
        try:
            return self._root.stat(name).st_mode
        except PathRefused as refused:
            if refused.code in _NOTHING:
                return None
            raise
