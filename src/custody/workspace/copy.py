"""Copies a source tree into a new workspace, and every content into the blobs, in one pass.

The source is only read: through descriptors, without following a symlink, in whatever mode it
is. Modes, times of files and symlinks are kept as they are; hard links become files of their
own. Left out, and told, are ``.git`` in any folder, the folders of the runs, and what is no
file, folder or symlink. A name that is not UTF-8 cannot be told and is refused.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from custody.errors import PathRefused
from custody.model.change import Entry
from custody.store import files
from custody.store.blobs import Blobs
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.contents import IN_MEMORY, copy_all, read_exactly
from custody.workspace.scan import (
    Scanner,
    folder_seen,
    is_utf8,
    link_entry,
    path_of,
    seen_as,
    shown,
)

LEFT_OUT_NAME = ".git"

Identity = tuple[int, int]
"""Device and inode: a folder is known by them whatever path led to it."""

_OPEN_SOURCE = files.READ | os.O_NOFOLLOW
_OPEN_TARGET = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ATTEMPTS = 3


class _Copied(NamedTuple):
    entry: Entry
    state: os.stat_result | None
    """Of the copy; None for a folder, which changes while it is filled."""


def copy_tree(
    source: Root, target: Root, blobs: Blobs, *, left_out: AbstractSet[Identity | None]
) -> TreeCopy:
    """Copy everything below ``source`` into the empty ``target``.

    Raises `PathRefused` for a name that is not UTF-8 and for a file that cannot be read or
    never holds still, and `StorageFailed` when the disk fails.
    """
    copy = TreeCopy(source, target, blobs, left_out)
    copy.run()
    return copy


class TreeCopy:
    """One copy: what was copied, and what was left out."""

    def __init__(
        self, source: Root, target: Root, blobs: Blobs, left_out: AbstractSet[Identity | None]
    ) -> None:
        self._source = source
        self._target = target
        self._blobs = blobs
        self._left_out = left_out
        self._waiting = [""]
        self._copied: list[_Copied] = []
        self._closed_folders: list[tuple[str, int]] = []
        self.omitted: list[str] = []

    def run(self) -> None:
        """Do it."""
        while self._waiting:
            self._copy_folder(self._waiting.pop())
        for path, mode in reversed(self._closed_folders):
            self._target.change_mode(path, mode)
        self.omitted.sort()

    def entries(self) -> dict[str, Entry]:
        """Return what the workspace holds."""
        return {entry.path: entry for entry, _ in self._copied}

    def teach(self, scanner: Scanner) -> None:
        """Let a scanner know the copy, so that it need not read what nobody has touched.

        Nobody but the copy has had the workspace until now; now is when it was looked at.
        """
        now = time.time_ns()
        for entry, state in self._copied:
            seen = seen_as(entry, state, now) if state else folder_seen(entry)
            scanner.remember(entry.path, seen)

    def _copy_folder(self, folder: str) -> None:
        source = self._source.open_dir(folder)
        target = self._target.open_dir(folder)
        try:
            with os.scandir(source) as items:
                for item in items:
                    self._copy(item, path_of(folder, item.name), source, target)
        finally:
            os.close(source)
            os.close(target)

    def _copy(self, item: os.DirEntry[str], path: str, source: int, target: int) -> None:
        _refuse_odd_bytes(item.name, path)
        try:
            self._copy_item(item, path, source, target)
        except OSError as error:
            raise failure(error, f"{self._source.path}/{path}", reading=True) from error

    def _copy_item(self, item: os.DirEntry[str], path: str, source: int, target: int) -> None:
        if item.name == LEFT_OUT_NAME:
            self.omitted.append(path)
        elif item.is_symlink():
            self._copy_link(item.name, path, source, target)
        elif item.is_dir(follow_symlinks=False):
            self._make_folder(item, path, target)
        elif item.is_file(follow_symlinks=False):
            self._copy_file(item.name, path, source, target)
        else:
            self.omitted.append(path)

    def _make_folder(self, item: os.DirEntry[str], path: str, target: int) -> None:
        state = item.stat(follow_symlinks=False)
        if (state.st_dev, state.st_ino) in self._left_out:
            self.omitted.append(path)
            return
        mode = stat.S_IMODE(state.st_mode)
        os.mkdir(item.name, stat.S_IRWXU, dir_fd=target)
        os.chmod(item.name, mode | stat.S_IRWXU, dir_fd=target)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            self._closed_folders.append((path, mode))
        entry = Entry(path=path, kind="dir", mode=mode)
        self._copied.append(_Copied(entry, None))
        self._waiting.append(path)

    def _copy_link(self, name: str, path: str, source: int, target: int) -> None:
        to = os.readlink(name, dir_fd=source)
        _refuse_odd_bytes(to, path)
        os.symlink(to, name, dir_fd=target)
        state = os.stat(name, dir_fd=target, follow_symlinks=False)
        self._copied.append(_Copied(link_entry(path, to, state), state))

    def _copy_file(self, name: str, path: str, source: int, target: int) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._copied.append(self._copy_once(name, path, source, target))
            except PathRefused as refused:
                if refused.code != "changed_during_read" or attempt == _ATTEMPTS:
                    where = f"{self._source.path}/{path}"
                    raise PathRefused(refused.code, refused.what, where=where) from None
                files.discard(target, name)
            else:
                return

    def _copy_once(self, name: str, path: str, source: int, target: int) -> _Copied:
        origin = os.open(name, _OPEN_SOURCE, dir_fd=source)
        copy = -1
        try:
            state = os.fstat(origin)
            if not stat.S_ISREG(state.st_mode):
                raise PathRefused("changed_during_read", "it was a file a moment ago")
            copy = os.open(name, _OPEN_TARGET, stat.S_IRUSR | stat.S_IWUSR, dir_fd=target)
            if state.st_size <= IN_MEMORY:
                data = read_exactly(origin, state.st_size)
                files.refuse_changed(origin, state, len(data))
                sha256 = self._blobs.put(data)
                files.write_all(copy, data)
            else:
                files.refuse_changed(origin, state, copy_all(origin, copy))
                sha256, _ = self._blobs.put_file(self._target, path)
            mode = stat.S_IMODE(state.st_mode)
            os.fchmod(copy, mode)
            os.utime(copy, ns=(state.st_atime_ns, state.st_mtime_ns))
            entry = Entry(path=path, kind="file", mode=mode, sha256=sha256, bytes=state.st_size)
            return _Copied(entry, os.fstat(copy))
        finally:
            os.close(origin)
            if copy >= 0:
                os.close(copy)


def _refuse_odd_bytes(text: str, path: str) -> None:
    if not is_utf8(text):
        raise PathRefused(
            "surrogate",
            "its name, or where it links to, is not UTF-8",
            where=shown(path),
            hint="rename it, or give a --workdir without it",
        )
