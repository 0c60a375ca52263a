"""Blobs of a run that nobody knows yet, made and linked by few system calls.

For a run that is not published: what is half made when the process ends is cleared away with
the run, so a blob can be written under its own name. Nothing here is durable.

A blob that is linked is one file with a name in each run. It is never written again: its mode
lets nobody, and whoever puts the same content anew gives the name to another file.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from custody.errors import BlobDamaged
from custody.model import layout
from custody.store import files

MODE = 0o444
"""Of a blob: it is never changed, and may be another run's too."""

_CANNOT_LINK = frozenset(
    {
        errno.EMLINK,  # it has as many names as the file system allows
        errno.EXDEV,  # the runs lie on two file systems
        errno.EPERM,  # the file system has no links, or the file is somebody else's
        errno.EACCES,
        errno.EOPNOTSUPP,
        errno.ENOENT,  # the other run is being removed
        errno.ENOTDIR,
    }
)


class BlobFolder:
    """The ``blobs/`` of one run, opened by somebody else."""

    def __init__(self, descriptor: int, path: str) -> None:
        self.fd = descriptor
        self.path = path
        """For messages."""

    def create(self, sha256: str, data: bytes) -> None:
        """Make a blob; one that is there already is left, although it may not yet be whole."""
        path = layout.blob_name(sha256)
        try:
            descriptor = self._open_new(path)
        except FileExistsError:
            return
        try:
            files.write_all(descriptor, data)
        except BaseException:
            files.discard(self.fd, path)
            raise
        finally:
            os.close(descriptor)

    def replace(self, sha256: str, data: bytes) -> None:
        """Make a blob in the place of one that may not be whole."""
        files.discard(self.fd, layout.blob_name(sha256))
        self.create(sha256, data)

    def adopt(self, temporary: str, sha256: str) -> None:
        """Give a whole file of this folder the name of a blob; one of that name is replaced."""
        path = layout.blob_name(sha256)
        self._make_prefix(path)
        os.rename(temporary, path, src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def link(self, other: BlobFolder, sha256: str) -> bool:
        """Give another run's blob a name here; False when it cannot be, and must be put."""
        path = layout.blob_name(sha256)
        try:
            try:
                self._link(other, path)
            except FileNotFoundError:
                self._make_prefix(path)
                self._link(other, path)
        except FileExistsError:
            return True
        except OSError as error:
            if error.errno not in _CANNOT_LINK:
                raise
            return False
        return True

    def state(self, sha256: str) -> os.stat_result | None:
        """Return the state of a blob; None when there is none of that name."""
        try:
            return os.stat(layout.blob_name(sha256), dir_fd=self.fd, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def open(self, sha256: str) -> int:
        """Open a blob for reading."""
        return os.open(layout.blob_name(sha256), files.READ | os.O_NOFOLLOW, dir_fd=self.fd)

    def check(self, sha256: str) -> None:
        """Raise `BlobDamaged` when a blob is not what its name says."""
        try:
            descriptor = self.open(sha256)
        except FileNotFoundError as error:
            raise BlobDamaged("it is missing", where=self.where(sha256)) from error
        try:
            found, _ = files.hash_all(descriptor, os.fstat(descriptor).st_size + 1)
        finally:
            os.close(descriptor)
        if found != sha256:
            raise BlobDamaged("its content is not what its name says", where=self.where(sha256))

    def where(self, sha256: str) -> str:
        """Return the place of a blob, for messages."""
        return f"{self.path}/{layout.blob_name(sha256)}"

    def _link(self, other: BlobFolder, path: str) -> None:
        os.link(path, path, src_dir_fd=other.fd, dst_dir_fd=self.fd, follow_symlinks=False)

    def _open_new(self, path: str) -> int:
        try:
            return files.open_new(self.fd, path, MODE)
        except FileNotFoundError:
            self._make_prefix(path)
        return files.open_new(self.fd, path, MODE)

    def _make_prefix(self, path: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(path.partition("/")[0], 0o755, dir_fd=self.fd)
