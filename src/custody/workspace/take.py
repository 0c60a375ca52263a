"""Takes the contents of a source into the blobs of a run, without reading what is known.

A file that is still as it was when an earlier run read it is not read: its content is that run's.
Every other one is read and hashed, all of one version; what the earlier run has is linked, and
only what is new is written.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from custody.errors import PathRefused, StorageFailed
from custody.model.record import ready
from custody.store import files
from custody.store.blob_folder import MODE, BlobFolder
from custody.store.hash_cache import HashCache, Known
from custody.store.open_folders import OpenFolders
from custody.store.os_errors import failure
from custody.store.root import DIGEST_LIMIT, Root
from custody.workspace.contents import IN_MEMORY
from custody.workspace.donor import Donor
from custody.workspace.rights import has_capability, kept_mode
from custody.workspace.scan import path_of
from custody.workspace.source import Group

_OPEN = files.READ | os.O_NOFOLLOW
_ATTEMPTS = 3


class Taken(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One file of a source, whose content is a blob now."""

    path: str
    mode: int
    sha256: str
    size: int
    device: int
    inode: int
    modified: int
    changed: int
    accessed: int
    dropped: bool = False
    """Whether the file has rights that its copy does not get."""

    @property
    def times(self) -> tuple[int, int]:
        """When it was read and written last."""
        return self.accessed, self.modified

    def known(self) -> Known:
        """Return what a later run can compare the file with."""
        return Known(self.device, self.inode, self.size, self.modified, self.changed, self.sha256)


_taken = msgspec.msgpack.Decoder(ready(list[Taken]))


class Take:
    """The work of taking everything, in pieces of some files."""

    def __init__(
        self,
        source: Root,
        blobs: BlobFolder,
        pieces: Sequence[Sequence[Group]],
        cache: HashCache,
        donor: Donor | None,
    ) -> None:
        self._source = source
        self._blobs = blobs
        self._pieces = pieces
        self._cache = cache if donor else HashCache()
        self._donor = donor
        self._vouched = donor is not None and donor.began_with(cache.tree)
        """Whether all contents of the cache are among those of the earlier run."""
        self._folder = ""
        self._known: Mapping[str, Known] = self._cache.files("")
        """The files of that folder: pieces of one follow each other."""
        self._folders = OpenFolders(source)
        self._doubted = False

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return len(self._pieces)

    def do(self, number: int) -> bytes:
        """Take the files of one piece; raises `PathRefused` and `StorageFailed`."""
        return msgspec.msgpack.encode(
            [file for group in self._pieces[number] for file in self._take_group(group)]
        )

    def close(self) -> None:
        """Give the descriptors back."""
        self._folders.close()

    def undo(self, _number: int) -> None:
        """Believe in no blob from now on that is there: one may be half."""
        self._doubted = True

    def refuse_half(self, taken: Iterable[Taken]) -> None:
        """Raise `StorageFailed` when a process that ended too early left half a blob."""
        if not self._doubted:
            return
        for file in taken:
            blob = self._blobs.state(file.sha256)
            if blob is None or blob.st_size != file.size:
                where = f"{self._source.path}/{file.path}"
                raise StorageFailed("its content was not kept", where=where, hint="try again")

    def _take_group(self, group: Group) -> list[Taken]:
        if group.folder != self._folder:
            self._folder, self._known = group.folder, self._cache.files(group.folder)
        folder = self._folders.get(group.folder).fd
        return [self._take(folder, name, path_of(group.folder, name)) for name in group.names]

    def _take(self, folder: int, name: str, path: str) -> Taken:
        try:
            known = self._known.get(name)
            if known is not None:
                state = os.stat(name, dir_fd=folder, follow_symlinks=False)
                size = known.size if self._vouched else None
                if known.is_still(state) and self._link(known.sha256, size):
                    return _with_rights(folder, name, _as_taken(path, known.sha256, state), state)
            return self._read(folder, name, path)
        except OSError as error:
            raise failure(error, f"{self._source.path}/{path}", reading=True) from error

    def _read(self, folder: int, name: str, path: str) -> Taken:
        """Read one version of a file, with some patience for one that is being written."""
        try:
            for _ in range(_ATTEMPTS - 1):
                try:
                    return self._read_once(folder, name, path)
                except PathRefused as refused:
                    if refused.code != "changed_during_read":
                        raise
            return self._read_once(folder, name, path)
        except PathRefused as refused:
            where = f"{self._source.path}/{path}"
            raise PathRefused(refused.code, refused.what, where=where) from None

    def _read_once(self, folder: int, name: str, path: str) -> Taken:
        descriptor = os.open(name, _OPEN, dir_fd=folder)
        try:
            taken = self._keep(descriptor, path)
            return _with_rights(folder, name, taken, os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def _keep(self, descriptor: int, path: str) -> Taken:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise PathRefused("changed_during_read", "it is not a regular file any more")
        if state.st_size > IN_MEMORY:
            return _as_taken(path, self._keep_large(descriptor, state), state)
        data = files.read_exactly(descriptor, state.st_size)
        files.refuse_changed(descriptor, state, len(data))
        sha256 = hashlib.sha256(data).hexdigest()
        if self._doubted:
            self._blobs.replace(sha256, data)
        elif not self._link(sha256):
            self._blobs.create(sha256, data)
        return _as_taken(path, sha256, state)

    def _keep_large(self, descriptor: int, state: os.stat_result) -> str:
        """Do it in constant memory, and without a copy if the earlier run may have the content."""
        files.regular(descriptor, DIGEST_LIMIT)
        if self._donor is not None and self._donor.has_size(state.st_size):
            sha256, size = files.hash_all(descriptor, state.st_size + 1)
            files.refuse_changed(descriptor, state, size)
            if self._link(sha256):
                return sha256
            os.lseek(descriptor, 0, os.SEEK_SET)
        return self._copy_large(descriptor, state)

    def _copy_large(self, descriptor: int, state: os.stat_result) -> str:
        """Copy and hash at once: the name is known only at the end."""
        temporary = files.temporary_name()
        hasher = hashlib.sha256()
        size = 0
        target = files.open_new(self._blobs.fd, temporary, MODE)
        try:
            for chunk in files.pieces(descriptor, state.st_size + 1):
                hasher.update(chunk)
                files.write_all(target, chunk)
                size += len(chunk)
            files.refuse_changed(descriptor, state, size)
            self._blobs.adopt(temporary, hasher.hexdigest())
        except BaseException:
            files.discard(self._blobs.fd, temporary)
            raise
        finally:
            os.close(target)
        return hasher.hexdigest()

    def _link(self, sha256: str, size: int | None = None) -> bool:
        if self._donor is None or self._doubted:
            return False
        return self._donor.link(self._blobs, sha256, size)


def read_taken(answer: bytes) -> list[Taken]:
    """Return what one piece of work came to."""
    return _taken.decode(answer)


def _as_taken(path: str, sha256: str, state: os.stat_result) -> Taken:
    return Taken(
        path,
        kept_mode(state.st_mode),
        sha256,
        state.st_size,
        state.st_dev,
        state.st_ino,
        state.st_mtime_ns,
        state.st_ctime_ns,
        state.st_atime_ns,
    )


def _with_rights(folder: int, name: str, taken: Taken, state: os.stat_result) -> Taken:
    """Note whether the file has more rights than are taken over."""
    special = taken.mode != stat.S_IMODE(state.st_mode)
    if special or has_capability(folder, name, taken.mode):
        return msgspec.structs.replace(taken, dropped=True)
    return taken
