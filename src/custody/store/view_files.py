"""The files of a run directory that can be made again from its journal.

They are written whole, and never synced: what a crash takes is made again. One thread writes them,
beside the one that works on the run, and both may come to the folder of the same attempt.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress

from custody.store import files, syscalls
from custody.store.double_buffer import DoubleBuffer
from custody.store.folders import Folders
from custody.store.os_errors import failure
from custody.store.resolve import DIRECTORY, own
from custody.store.root import Root

_ONE_BY_ONE = 16
"""So many folders are made before their files: a short run need not load ctypes for the rest."""
_BEGUN_ANEW = 4
"""So often a file is replaced as if it were for the first time, for the same reason."""
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class ViewFiles:
    """Writes views into one run directory; close it when the run is left."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._folders = Folders(root)
        self._buffers: dict[str, DoubleBuffer] = {}
        self._streams: dict[str, int] = {}
        self._made = self._replaced = 0

    def put_folder(
        self, path: str, contents: Mapping[str, bytes], *, again: AbstractSet[str] = frozenset()
    ) -> None:
        """Put files into a folder; a new one appears with all of them at once, but for the first.

        In a folder that is there every file stays, but for those of the names ``again``.
        """
        try:
            head, _, name = path.rpartition("/")
            parent = self._folders.descriptor(head)
            if not files.present(parent, name):
                self._made += 1
                if self._made <= _ONE_BY_ONE:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o755, dir_fd=parent)
                elif _made_whole(parent, name, contents):
                    return
            _add(parent, name, contents, again)
        except OSError as error:
            raise failure(error, f"{self._root.path}/{path}") from error

    def write(self, path: str, data: bytes) -> None:
        """Put a file there, in the place of one that has its name."""
        self._folders.write(path, data)

    def replace(self, name: str, data: bytes) -> None:
        """Put a file there that is replaced again and again."""
        buffer = self._buffers.get(name)
        if buffer is None or self._replaced < _BEGUN_ANEW:
            if buffer is not None:
                buffer.close()
            self._replaced += 1
            buffer = self._buffers[name] = DoubleBuffer(self._root, name)
        buffer.put(data)

    def append(self, name: str, data: bytes) -> None:
        """Add to a file that grows."""
        descriptor = self._streams.get(name)
        if descriptor is None:
            descriptor = self._streams[name] = self._root.open_fd(name, _APPEND)
        try:
            files.write_all(descriptor, data)
        except OSError as error:
            raise failure(error, f"{self._root.path}/{name}") from error

    def close(self) -> None:
        """Give every descriptor back."""
        while self._buffers:
            self._buffers.popitem()[1].close()
        while self._streams:
            os.close(self._streams.popitem()[1])
        self._folders.close()


def _add(parent: int, name: str, contents: Mapping[str, bytes], again: AbstractSet[str]) -> None:
    """Add to a folder that is there; it is opened anew each time, for it may be set aside."""
    folder = own(parent, name, DIRECTORY, 0)
    try:
        for each, data in contents.items():
            if each in again or not files.present(folder, each):
                files.put(folder, each, data, None, sync=False)
    finally:
        os.close(folder)


def _made_whole(parent: int, name: str, contents: Mapping[str, bytes]) -> bool:
    """Make a folder under another name, and give it its own; False when that is taken by now."""
    temporary = files.temporary_name()
    os.mkdir(temporary, 0o755, dir_fd=parent)
    folder = own(parent, temporary, DIRECTORY, 0)
    try:
        for each, data in contents.items():
            files.write_new(folder, each, data, None, sync=False)
        syscalls.rename_exclusively(parent, temporary, name)
    except BaseException as error:
        for each in contents:
            files.discard(folder, each)
        with suppress(OSError):  # swept by the next process
            os.rmdir(temporary, dir_fd=parent)
        if isinstance(error, FileExistsError):
            return False
        raise
    finally:
        os.close(folder)
    return True
