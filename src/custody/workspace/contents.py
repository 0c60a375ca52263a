"""Keeps the contents of workspace files as blobs, each once."""

from __future__ import annotations

import errno
import hashlib
import os
import stat

from custody.errors import PathRefused
from custody.store import files
from custody.store.blobs import Blobs
from custody.store.os_errors import failure
from custody.store.root import DIGEST_LIMIT, READ_LIMIT, Root

IN_MEMORY = 4 << 20
"""Files up to this size are read in one piece."""


class Contents:
    """The blobs of a run, and which of them need not be put again.

    Without blobs the contents are only looked at.
    """

    def __init__(self, blobs: Blobs | None) -> None:
        self._blobs = blobs
        self._kept: set[str] = set()

    def trust(self, sha256: str) -> None:
        """Take a blob as kept: the journal names it, so it was durable."""
        self._kept.add(sha256)

    def keep(self, data: bytes) -> None:
        """Keep what a file is going to hold."""
        if self._blobs is not None:
            self._kept.add(self._blobs.put(data))

    def keep_file(self, root: Root, path: str) -> tuple[os.stat_result, str]:
        """Keep what a file holds; return its state and sha256, all of one version.

        Raises `PathRefused` for what is no file, cannot be read or changes meanwhile. A second
        name is no reason to refuse here: whether it lies outside, only the whole look can tell.
        """
        descriptor = root.open_fd(path, files.READ)
        try:
            return self.keep_open(descriptor, root, path)
        except OSError as error:
            raise failure(error, f"{root.path}/{path}", reading=True) from error
        finally:
            os.close(descriptor)

    def keep_open(self, descriptor: int, root: Root, path: str) -> tuple[os.stat_result, str]:
        """Do what `keep_file` does with a file that is open already; raises `OSError` too."""
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode):
            raise PathRefused("not_regular", "it is not a regular file", where=path)
        if state.st_nlink > 1 or state.st_size <= IN_MEMORY:
            return state, self._keep_whole(descriptor, state)
        return state, self._keep_large(root, path, descriptor)

    def _keep_whole(self, descriptor: int, state: os.stat_result) -> str:
        if state.st_size > READ_LIMIT:
            raise PathRefused("too_large", f"it has {state.st_size} bytes and a second name")
        data = files.read_exactly(descriptor, state.st_size)
        files.refuse_changed(descriptor, state, len(data))
        sha256 = hashlib.sha256(data).hexdigest()
        if self._blobs is not None and sha256 not in self._kept:
            self._kept.add(self._blobs.put(data))
        return sha256

    def _keep_large(self, root: Root, path: str, descriptor: int) -> str:
        sha256, _ = files.digest(descriptor, DIGEST_LIMIT)
        if self._blobs is not None and sha256 not in self._kept:
            put, _ = self._blobs.put_file(root, path)
            if put != sha256:
                raise PathRefused("changed_during_read", "it changed while it was read")
            self._kept.add(sha256)
        return sha256


def copy_all(source: int, target: int) -> int:
    """Copy a file inside the kernel, its holes as holes; return how many bytes it has."""
    size = os.fstat(source).st_size
    at = 0
    while at < size:
        at = _next_data(source, at, size)
        end = os.lseek(source, at, os.SEEK_HOLE) if at < size else size
        os.lseek(target, at, os.SEEK_SET)
        while at < end and (count := os.sendfile(target, source, at, min(end - at, 1 << 30))):
            at += count
        at = max(at, end)
    os.ftruncate(target, size)
    return size


def _next_data(source: int, at: int, size: int) -> int:
    try:
        return os.lseek(source, at, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return size
