"""Folders of a run directory, those used last kept open: a stage writes many files into one."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Lock

from custody.store import files
from custody.store.os_errors import failure
from custody.store.resolve import DIRECTORY, own
from custody.store.root import Root

_KEPT = 8


class Folders:
    """Opens folders that only custody writes."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._open: dict[str, int] = {}
        self._lock = Lock()
        """Stages that work at the same time share these descriptors."""

    def make(self, path: str) -> bool:
        """Make a folder; False when something has that name already."""
        head, _, name = path.rpartition("/")
        try:
            with self._lock:
                os.mkdir(name, 0o755, dir_fd=self.descriptor(head))
        except FileExistsError:
            return False
        except OSError as error:
            raise failure(error, f"{self._root.path}/{path}") from error
        return True

    def write(self, path: str, data: bytes) -> None:
        """Put a file there, whole or not at all; nothing is synced."""
        head, _, name = path.rpartition("/")
        try:
            with self._lock:
                files.put(self.descriptor(head), name, data, None, sync=False)
        except OSError as error:
            raise failure(error, f"{self._root.path}/{path}") from error

    def close(self) -> None:
        """Give the descriptors back."""
        with self._lock:
            while self._open:
                os.close(self._open.popitem()[1])

    def descriptor(self, path: str) -> int:
        """Return a folder, made where it is missing; it stays open for a while."""
        if not path:
            return self._root.fd
        found = self._open.get(path)
        if found is None:
            head, _, name = path.rpartition("/")
            found = _opened(self.descriptor(head), name)
            if len(self._open) >= _KEPT:
                os.close(self._open.pop(next(iter(self._open))))
            self._open[path] = found
        return found


def _opened(folder: int, name: str) -> int:
    try:
        return own(folder, name, DIRECTORY, 0)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=folder)
    return own(folder, name, DIRECTORY, 0)
