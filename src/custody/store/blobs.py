"""Content by its sha256: ``blobs/<2>/<sha256>``.

A blob is written once and never changed; it may be a file that several runs have a name for.
Putting is not durable by itself; `Blobs.sync` makes everything put or linked since the last one
durable, in as few syncs as possible, and must come before the journal line that names a blob.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from custody.errors import BlobDamaged, PathRefused
from custody.model import layout
from custody.model.relpath import RelPath
from custody.patterns import later
from custody.store import files, syscalls
from custody.store.blob_folder import MODE, BlobFolder
from custody.store.holes import has_holes, write_data
from custody.store.os_errors import failure
from custody.store.root import DIGEST_LIMIT, READ_LIMIT, Root

_SYNC_EACH = 16
"""Up to this many blobs are synced one by one; for more, the whole file system is cheaper."""
_IN_MEMORY = 1 << 20
"""Files up to this size are copied in one piece."""
_DIGEST = later("[0-9a-f]{64}")

_T = TypeVar("_T")


class Blobs:
    """The blobs of one run directory."""

    def __init__(self, root: Root) -> None:
        self._run = root
        self._opened: Root | None = None
        self._known: set[str] = set()
        """Put by this object: whole, and durable or waiting to be."""
        self._unsynced: list[str] = []

    def put(self, data: bytes) -> str:
        """Keep ``data`` and return its sha256; nothing is written when this object has it."""
        sha256 = hashlib.sha256(data).hexdigest()
        if sha256 not in self._known:
            folder, temporary = self._folder().fd, files.temporary_name()
            try:
                _write(folder, temporary, data)
                self._settle(temporary, sha256)
            except OSError as error:
                files.discard(folder, temporary)
                raise failure(error, self._where(sha256)) from error
        return sha256

    def put_file(
        self, root: Root, path: RelPath | str, *, limit: int = DIGEST_LIMIT
    ) -> tuple[str, int]:
        """Keep the content of a plain file; return its sha256 and size, in constant memory.

        Refuses what `Root.read` refuses, a file that changes meanwhile too.
        """
        source = root.open_fd(path, files.READ)
        try:
            before = files.plain(source, limit)
            if before.st_size <= _IN_MEMORY:
                data = files.read_all(source, _IN_MEMORY)
                return self.put(data), len(data)
            return self._copy(source, lambda _, size: files.refuse_changed(source, before, size))
        except PathRefused as refused:
            raise PathRefused(refused.code, refused.what, where=f"{root.path}/{path}") from None
        except OSError as error:
            raise failure(error, f"{root.path}/{path}", reading=True) from error
        finally:
            os.close(source)

    def get(self, sha256: str) -> bytes:
        """Return the content; raises `BlobDamaged` when it is missing or not what it should be."""
        data = self._read(sha256, _whole)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise self._damaged(sha256)
        return data

    def check(self, sha256: str) -> int:
        """Return the size of a blob, in constant memory; raises `BlobDamaged` as `get` does."""
        found, size = self._read(sha256, _hashed)
        if found != sha256:
            raise self._damaged(sha256)
        return size

    def _read(self, sha256: str, use: Callable[[int], _T]) -> _T:
        """Use an open blob; only its hash can tell whether it was whole.

        Its times tell nothing: they change when another run gives it a name or drops one.
        """
        try:
            descriptor = self._run.open_fd(self.path_of(sha256), files.READ)
            try:
                files.regular(descriptor, DIGEST_LIMIT)
                return use(descriptor)
            finally:
                os.close(descriptor)
        except PathRefused as refused:
            raise BlobDamaged(refused.what, where=self._where(sha256)) from refused
        except OSError as error:
            raise failure(error, self._where(sha256), reading=True) from error

    def _damaged(self, sha256: str) -> BlobDamaged:
        return BlobDamaged("its content is not what its name says", where=self._where(sha256))

    def has(self, sha256: str) -> bool:
        """Whether a blob of that name is there; `get` and `check` tell whether it is whole."""
        return sha256 in self._known or self._run.exists(self.path_of(sha256))

    def path_of(self, sha256: str) -> str:
        """Return where a blob lies, relative to the run directory."""
        return f"{layout.BLOBS}/{_below(sha256)}"

    @property
    def folder(self) -> BlobFolder:
        """Where many blobs can be made at once; `made` must be told of them."""
        return BlobFolder(self._folder().fd, f"{self._run.path}/{layout.BLOBS}")

    def knows(self, names: Iterable[str]) -> bool:
        """Whether all of them were put by this object, and are whole therefore."""
        return self._known.issuperset(names)

    def made(self, names: Iterable[str]) -> None:
        """Take blobs as put that were made or linked in `folder`, all of them whole."""
        fresh = set(names) - self._known
        self._known |= fresh
        self._unsynced.extend(fresh)

    def sync(self) -> None:
        """Make everything that was put durable; raises `StorageFailed` when it cannot be."""
        waiting, self._unsynced = self._unsynced, []
        if not waiting:
            return
        try:
            if len(waiting) > _SYNC_EACH:
                syscalls.syncfs(self._run.fd)
            else:
                self._sync_each(waiting)
        except OSError as error:
            # Pages that failed to reach the disk count as clean now: only a new file will do.
            self._known.difference_update(waiting)
            raise failure(error, f"{self._run.path}/{layout.BLOBS}") from error

    def put_blob(self, other: Blobs, sha256: str) -> None:
        """Put another run's blob here as well; raises `BlobDamaged` when it is not whole."""

        def refuse_damaged(found: str, _size: int) -> None:
            if found != sha256:
                raise other._damaged(sha256)

        other._read(sha256, lambda source: self._copy(source, refuse_damaged))

    def names(self) -> Iterator[str]:
        """Yield the sha256 of every blob that is there, whole or not."""
        yield from (path.rpartition("/")[2] for path in self._paths() if _is_blob(path))

    def strangers(self) -> Iterator[str]:
        """Yield what lies among the blobs and has no blob's name, relative to the run directory."""
        yield from (path for path in self._paths() if not _is_blob(path))

    def _paths(self) -> Iterator[str]:
        """Yield everything among the blobs, temporary files left out."""
        for prefix in self._names(layout.BLOBS):
            folder = f"{layout.BLOBS}/{prefix}"
            if not stat.S_ISDIR(self._run.stat(folder).st_mode):
                yield folder
                continue
            yield from (f"{folder}/{name}" for name in self._names(folder))

    def close(self) -> None:
        """Give the folder's descriptor back."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _names(self, folder: str) -> list[str]:
        """Return the names of a folder, temporary files left out; none when it is missing."""
        if not self._run.exists(folder):
            return []
        return [name for name in self._run.names(folder) if not files.is_temporary(name)]

    def _folder(self) -> Root:
        if self._opened is None:
            self._run.make_dirs(layout.BLOBS)
            self._opened = self._run.sub(layout.BLOBS)
        return self._opened

    def _copy(self, source: int, check: Callable[[str, int], None]) -> tuple[str, int]:
        """Copy and hash at once: the name is known only at the end.

        ``check`` is told sha256 and size, and raises when there is to be no such blob.
        """
        folder, temporary = self._folder().fd, files.temporary_name()
        hasher = hashlib.sha256()
        size = 0
        # Whatever a file claims to hold, its copy takes no more of the disk than it does.
        write = write_data if has_holes(os.fstat(source)) else files.write_all
        try:
            target = files.open_new(folder, temporary, MODE)
            try:
                for piece in files.pieces(source, DIGEST_LIMIT):
                    hasher.update(piece)
                    write(target, piece)
                    size += len(piece)
                os.ftruncate(target, size)
            finally:
                os.close(target)
            check(hasher.hexdigest(), size)
            self._settle(temporary, hasher.hexdigest())
        except BaseException:
            files.discard(folder, temporary)
            raise
        return hasher.hexdigest(), size

    def _settle(self, temporary: str, sha256: str) -> None:
        """Give a written file its name.

        One that an earlier process left under that name may be torn or not durable, and may be
        named by the journal: it is replaced by one that is durable before it takes the name.
        """
        blobs = self._folder()
        if sha256 in self._known:
            files.discard(blobs.fd, temporary)
            return
        with blobs.parent(_below(sha256), create=True) as (folder, name):
            present = files.present(folder, name)
            if present:
                files.sync(blobs.fd, temporary)
            os.rename(temporary, name, src_dir_fd=blobs.fd, dst_dir_fd=folder)
            if present:
                os.fsync(folder)
            else:
                self._unsynced.append(sha256)
        self._known.add(sha256)

    def _sync_each(self, waiting: list[str]) -> None:
        blobs = self._folder()
        for sha256 in waiting:
            with blobs.parent(_below(sha256)) as (folder, name):
                files.sync(folder, name)
        for prefix in {sha256[:2] for sha256 in waiting}:
            files.sync(blobs.fd, prefix)
        os.fsync(blobs.fd)
        os.fsync(self._run.fd)

    def _where(self, sha256: str) -> str:
        return f"{self._run.path}/{self.path_of(sha256)}"


def _is_blob(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _DIGEST.fullmatch(name) is not None and path == layout.blob(name)


def _below(sha256: str) -> str:
    if _DIGEST.fullmatch(sha256) is None:
        raise BlobDamaged(f"{sha256!r} is no sha256")
    return layout.blob_name(sha256)


def _whole(descriptor: int) -> bytes:
    return files.read_exactly(descriptor, files.regular(descriptor, READ_LIMIT).st_size)


def _hashed(descriptor: int) -> tuple[str, int]:
    return files.hash_all(descriptor, os.fstat(descriptor).st_size + 1)


def _write(folder: int, name: str, data: bytes) -> None:
    descriptor = files.open_new(folder, name, MODE)
    try:
        files.write_all(descriptor, data)
    finally:
        os.close(descriptor)
