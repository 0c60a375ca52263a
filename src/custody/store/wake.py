"""A FIFO beside a box: tells a program at once that something was put there for it.

It says nothing that does not stand in a file as well. Whoever is on another machine, or has not
opened it, or is too busy to read it, finds the file by looking; it is quicker, never needed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from custody.errors import CustodyError, PathRefused
from custody.store.root import Root

_MODE = 0o644
"""Whoever may read the box may be woken; only its owner wakes."""


class Wake:
    """The FIFO at one path of a root."""

    def __init__(self, root: Root, path: str) -> None:
        self._root = root
        self._path = path

    @contextmanager
    def kept(self) -> Iterator[bool]:
        """Have it there, open for writing, so that no reader ever sees its end; then remove it.

        Yields whether there is one: not every file system has them.
        """
        held = self._made()
        try:
            yield held >= 0
        finally:
            if held >= 0:
                os.close(held)
                self.remove()

    def tell(self, word: str) -> None:
        """Write a line for whoever reads; nobody may."""
        fifo = self._opened(os.O_WRONLY)
        if fifo < 0:
            return
        try:
            with suppress(BlockingIOError, BrokenPipeError):
                os.write(fifo, f"{word}\n".encode())
        finally:
            os.close(fifo)

    def remove(self) -> None:
        """Remove it if it is there."""
        with suppress(PathRefused):
            self._root.remove(self._path)

    def _made(self) -> int:
        """Make it and open it both ways, which waits for nobody; -1 where that cannot be."""
        try:
            with self._root.parent(self._path) as (folder, name), suppress(FileExistsError):
                os.mkfifo(name, _MODE, dir_fd=folder)
        except OSError:
            return -1
        return self._opened(os.O_RDWR)

    def _opened(self, flags: int) -> int:
        """Open it without waiting; -1 when nobody reads, or when no FIFO stands there."""
        try:
            found = self._root.open_fd(self._path, flags | os.O_NONBLOCK)
        except CustodyError:
            return -1
        if stat.S_ISFIFO(os.fstat(found).st_mode):
            return found
        os.close(found)
        return -1
