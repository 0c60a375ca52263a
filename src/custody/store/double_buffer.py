"""A file that is replaced over and over, whole every time, at the cost of one write.

Two files take turns: the new content goes into the one that nobody sees, and then both change
names in one step. No file is made or freed, which is what makes replacing slow.
"""

from __future__ import annotations

import errno
import os

from custody.store import files, syscalls
from custody.store.os_errors import failure
from custody.store.root import Root

_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class DoubleBuffer:
    """One name in a directory that only custody writes. Nothing is synced."""

    def __init__(self, root: Root, name: str) -> None:
        self._root = root
        self._name = name
        self._spare = files.temporary_name()
        self._shown = self._hidden = -1
        self._takes_turns = True

    def put(self, data: bytes) -> None:
        """Let the name stand for ``data`` from now on."""
        try:
            if self._hidden >= 0:
                self._turn(data)
            else:
                files.put(self._root.fd, self._name, data, None, sync=False)
                self._begin()
        except OSError as error:
            raise failure(error, f"{self._root.path}/{self._name}") from error

    def close(self) -> None:
        """Remove the file that nobody sees."""
        if self._hidden >= 0:
            files.discard(self._root.fd, self._spare)
            os.close(self._hidden)
            os.close(self._shown)
            self._hidden = self._shown = -1

    def _begin(self) -> None:
        """Make the second file, unless the file system cannot exchange names."""
        if self._takes_turns:
            self._shown = os.open(self._name, _WRITE, dir_fd=self._root.fd)
            self._hidden = files.open_new(self._root.fd, self._spare)

    def _turn(self, data: bytes) -> None:
        os.ftruncate(self._hidden, os.pwrite(self._hidden, data, 0))
        try:
            syscalls.exchange(self._root.fd, self._spare, self._name)
        except OSError as error:
            if error.errno not in {errno.ENOSYS, errno.EINVAL}:
                raise
            self.close()
            self._takes_turns = False
            files.put(self._root.fd, self._name, data, None, sync=False)
        else:
            self._shown, self._hidden = self._hidden, self._shown
