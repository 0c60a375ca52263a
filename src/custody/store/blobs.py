"""Content by its sha256: ``blobs/<2>/<sha256>``.

A blob is written once and never changed. Putting is not durable by itself; `Blobs.sync` makes
everything put since the last one durable, in as few syncs as possible, and must come before
the journal line that names a blob.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator

from custody.errors import BlobDamaged, PathRefused
from custody.model import layout
from custody.model.relpath import RelPath
from custody.store import files, syscalls
from custody.store.os_errors import failure
from custody.store.root import DIGEST_LIMIT, READ_LIMIT, Root

_SYNC_EACH = 16
"""Up to this many blobs are synced one by one; for more, the whole file system is cheaper."""
_IN_MEMORY = 1 << 20
"""Files up to this size are copied in one piece."""
_DIGEST = re.compile("[0-9a-f]{64}")


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
                files.write_new(folder, temporary, data, None, sync=False)
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
            if files.plain(source, limit).st_size <= _IN_MEMORY:
                data = files.read_all(source, _IN_MEMORY)
                return self.put(data), len(data)
            return self._copy(source, limit)
        except PathRefused as refused:
            raise PathRefused(refused.code, refused.what, where=f"{root.path}/{path}") from None
        except OSError as error:
            raise failure(error, f"{root.path}/{path}", reading=True) from error
        finally:
            os.close(source)

    def get(self, sha256: str) -> bytes:
        """Return the content; raises `BlobDamaged` when it is missing or not what it should be."""
        try:
            data = self._run.read(self.path_of(sha256), limit=READ_LIMIT)
        except PathRefused as refused:
            raise BlobDamaged(refused.what, where=self._where(sha256)) from refused
        if hashlib.sha256(data).hexdigest() != sha256:
            raise BlobDamaged("its content is not what its name says", where=self._where(sha256))
        return data

    def check(self, sha256: str) -> int:
        """Return the size of a blob, in constant memory; raises `BlobDamaged` as `get` does."""
        try:
            found, size = self._run.digest(self.path_of(sha256))
        except PathRefused as refused:
            raise BlobDamaged(refused.what, where=self._where(sha256)) from refused
        if found != sha256:
            raise BlobDamaged("its content is not what its name says", where=self._where(sha256))
        return size

    def has(self, sha256: str) -> bool:
        """Whether a blob of that name is there; `get` and `check` tell whether it is whole."""
        return sha256 in self._known or self._run.exists(self.path_of(sha256))

    def path_of(self, sha256: str) -> str:
        """Return where a blob lies, relative to the run directory."""
        return f"{layout.BLOBS}/{_below(sha256)}"

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

    def copy_to(self, other: Blobs) -> None:
        """Put every blob into another run as well; raises `BlobDamaged` when one is not whole."""
        for sha256 in self.names():
            found, _ = other.put_file(self._run, self.path_of(sha256))
            if found != sha256:
                raise BlobDamaged(
                    "its content is not what its name says", where=self._where(sha256)
                )

    def names(self) -> Iterator[str]:
        """Yield the sha256 of every blob that is there, whole or not."""
        for prefix in self._names(layout.BLOBS):
            yield from self._names(f"{layout.BLOBS}/{prefix}")

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

    def _copy(self, source: int, limit: int) -> tuple[str, int]:
        """Copy and hash at once: the name is known only at the end."""
        folder, temporary = self._folder().fd, files.temporary_name()
        hasher = hashlib.sha256()
        size = 0
        try:
            target = files.open_new(folder, temporary)
            try:
                for chunk in files.chunks(source, limit):
                    hasher.update(chunk)
                    files.write_all(target, chunk)
                    size += len(chunk)
            finally:
                os.close(target)
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


def _below(sha256: str) -> str:
    if _DIGEST.fullmatch(sha256) is None:
        raise BlobDamaged(f"{sha256!r} is no sha256")
    return layout.blob_name(sha256)
