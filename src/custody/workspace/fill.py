"""Fills a workspace with files, from the blobs of its run."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from typing import Protocol

import msgspec

from custody.errors import BlobDamaged
from custody.model.record import ready
from custody.store import files
from custody.store.blob_folder import BlobFolder
from custody.store.open_folders import OpenFolders
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.contents import IN_MEMORY, copy_all
from custody.workspace.scan import FileState


class Wanted(Protocol):
    """A file that is to be made."""

    @property
    def path(self) -> str:
        """Where; its folder is there, and nothing of its name in it."""

    @property
    def mode(self) -> int:
        """Permission bits."""

    @property
    def sha256(self) -> str:
        """Of its content, which is a blob."""

    @property
    def size(self) -> int:
        """Of its content."""

    @property
    def times(self) -> tuple[int, int] | None:
        """When it was read and written last, in nanoseconds; None for now."""


_states = msgspec.msgpack.Decoder(ready(list[FileState]))


class Fill:
    """The work of making files, in pieces of some."""

    def __init__(
        self, target: Root, blobs: BlobFolder, pieces: Sequence[Sequence[Wanted]], *, check: bool
    ) -> None:
        self._target = target
        self._blobs = blobs
        self._pieces = pieces
        self._check = check
        """Whether the blobs are to be doubted."""
        self._folders = OpenFolders(target)

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return len(self._pieces)

    def do(self, number: int) -> bytes:
        """Make the files of one piece; raises `StorageFailed` and `BlobDamaged`."""
        return msgspec.msgpack.encode([self._make(wanted) for wanted in self._pieces[number]])

    def close(self) -> None:
        """Give the descriptors back."""
        self._folders.close()

    def undo(self, number: int) -> None:
        """Remove what may be left of one piece."""
        for wanted in self._pieces[number]:
            files.discard(self._target.fd, wanted.path)

    def _make(self, wanted: Wanted) -> FileState:
        folder, _, name = wanted.path.rpartition("/")
        try:
            blob = self._blobs.open(wanted.sha256)
        except FileNotFoundError as error:
            raise BlobDamaged("it is missing", where=self._blobs.where(wanted.sha256)) from error
        try:
            return self._copy(blob, self._folders.get(folder).fd, name, wanted)
        except OSError as error:
            raise failure(error, f"{self._target.path}/{wanted.path}") from error
        finally:
            os.close(blob)

    def _copy(self, blob: int, folder: int, name: str, wanted: Wanted) -> FileState:
        copy = files.open_new(folder, name, wanted.mode & 0o777)
        try:
            self._copy_content(blob, copy, wanted)
            if wanted.times is not None:
                os.utime(copy, ns=wanted.times)
            state = os.fstat(copy)
            if stat.S_IMODE(state.st_mode) != wanted.mode:  # the umask, or more than rwx
                os.fchmod(copy, wanted.mode)
                state = os.fstat(copy)
        finally:
            os.close(copy)
        return FileState(
            state.st_mode, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
        )

    def _copy_content(self, blob: int, copy: int, wanted: Wanted) -> None:
        if wanted.size <= IN_MEMORY:
            data = files.read_exactly(blob, wanted.size)
            if self._check and hashlib.sha256(data).hexdigest() != wanted.sha256:
                raise self._damaged(wanted.sha256)
            files.write_all(copy, data)
        elif self._check and files.hash_all(blob)[0] != wanted.sha256:
            raise self._damaged(wanted.sha256)
        else:
            copy_all(blob, copy)

    def _damaged(self, sha256: str) -> BlobDamaged:
        what = "its content is not what its name says"
        return BlobDamaged(what, where=self._blobs.where(sha256))


def read_states(answer: bytes) -> list[FileState]:
    """Return the states of the files of one piece."""
    return _states.decode(answer)
