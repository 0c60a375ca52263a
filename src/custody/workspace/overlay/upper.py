"""One look at everything in the upper directory of an overlay.

The rules are those of `custody.workspace.scan`, but nothing is known beforehand and there is
little to see, so every folder is opened from the one above it and every file is opened once.
No name is followed that became a symlink meanwhile, and nothing is read that lies on another
file system.
"""

from __future__ import annotations

import os
import stat
from typing import Self

import msgspec

from custody.errors import PathRefused
from custody.model.change import Entry
from custody.store import files
from custody.store.os_errors import failure
from custody.store.resolve import DIRECTORY
from custody.store.root import Root
from custody.workspace.contents import Contents
from custody.workspace.overlay import marks
from custody.workspace.rights import CAPABILITY
from custody.workspace.scan import (
    ATTEMPTS,
    LONGEST,
    is_utf8,
    link_entry,
    other_entry,
    path_of,
    shown,
)

_HELD = 64
"""So many folders wait with an open descriptor; the others are opened by their path."""
_LATER = -1
_FOLDER = DIRECTORY | os.O_NOFOLLOW
_FILE = files.READ | os.O_NOFOLLOW
_WITHOUT_CONTENTS = ("redirect", "metacopy")


class UpperLook:
    """What stands in an upper directory, after `take`."""

    def __init__(self, root: Root, contents: Contents) -> None:
        self.entries: dict[str, Entry] = {}
        self.whiteouts: set[str] = set()
        self.opaque: set[str] = set()
        self.states: dict[str, os.stat_result] = {}
        """What each file was when it was read."""
        self.able: set[str] = set()
        """Files with capabilities."""
        self._root = root
        self._contents = contents
        self._device = os.fstat(root.fd).st_dev
        self._waiting: list[tuple[str, int]] = []
        self._shared: dict[tuple[int, int], list[str]] = {}
        """Files with more than one name, by inode and number of names."""

    def take(self) -> Self:
        """Look at everything; raises `StorageFailed` when the disk fails."""
        self._waiting.append(("", os.dup(self._root.fd)))
        try:
            while self._waiting:
                folder, descriptor = self._waiting.pop()
                self._enter(folder, descriptor)
        finally:
            for _, descriptor in self._waiting:
                if descriptor != _LATER:
                    os.close(descriptor)
        self._refuse_names_outside()
        return self

    def _enter(self, folder: str, descriptor: int) -> None:
        try:
            opened = self._root.open_dir(folder) if descriptor == _LATER else descriptor
        except PathRefused as refused:
            self._refuse(folder, refused)
            return
        try:
            self._look_into(folder, opened)
        except PermissionError as error:
            self._refuse(folder, error)
        except OSError as error:
            raise failure(error, f"{self._root.path}/{folder}", reading=True) from error
        finally:
            os.close(opened)

    def _look_into(self, folder: str, descriptor: int) -> None:
        there = marks.of(descriptor)
        if "redirect" in there:
            self._refuse(folder, PathRefused("redirect", "its contents are elsewhere"))
            return
        opaqueness = marks.opaqueness(descriptor, there)
        if folder and opaqueness == marks.OPAQUE:
            self.opaque.add(folder)
        for name, state in _names(descriptor):
            path = path_of(folder, name)
            if marks.is_device_whiteout(state):
                self.whiteouts.add(path)
            elif not is_utf8(name):
                self.entries[path] = other_entry(shown(path), state, "surrogate")
            elif stat.S_ISREG(state.st_mode):
                self._look_at_file(descriptor, path, name, state, opaqueness)
            elif stat.S_ISDIR(state.st_mode):
                self._look_at_folder(descriptor, path, name, state)
            elif stat.S_ISLNK(state.st_mode):
                target = os.readlink(name, dir_fd=descriptor)
                self.entries[path] = link_entry(path, target, state)
            else:
                self.entries[path] = other_entry(path, state, "not_regular")

    def _look_at_folder(self, above: int, path: str, name: str, state: os.stat_result) -> None:
        self.entries[path] = Entry(path=path, kind="dir", mode=stat.S_IMODE(state.st_mode))
        try:
            self._refuse_far(path, state)
            held = len(self._waiting) < _HELD
            descriptor = os.open(name, _FOLDER, dir_fd=above) if held else _LATER
        except (OSError, PathRefused) as error:
            self._refuse(path, error)
        else:
            self._waiting.append((path, descriptor))

    def _look_at_file(
        self, above: int, path: str, name: str, state: os.stat_result, opaqueness: bytes
    ) -> None:
        self.entries[path] = Entry(path=path, kind="file", mode=stat.S_IMODE(state.st_mode))
        try:
            self._refuse_far(path, state)
            descriptor = os.open(name, _FILE, dir_fd=above)
            try:
                attributes = marks.attributes(descriptor)
                there = marks.among(attributes)
                if opaqueness == marks.HOLDS_WHITEOUTS and "whiteout" in there:
                    del self.entries[path]
                    self.whiteouts.add(path)
                    return
                self._refuse_marked(there)
                if CAPABILITY in attributes:
                    self.able.add(path)
                self._keep(descriptor, above, path, name)
            finally:
                os.close(descriptor)
        except (OSError, PathRefused) as error:
            self._refuse(path, error)

    def _keep(self, descriptor: int, above: int, path: str, name: str) -> None:
        """Keep an open file, with some patience for one that is being written."""
        folder = Root(above, self._root.path)
        for attempt in range(ATTEMPTS):
            try:
                state, sha256 = self._contents.keep_open(descriptor, folder, name)
                break
            except PathRefused as refused:
                if refused.code != "changed_during_read" or attempt == ATTEMPTS - 1:
                    raise
        self.entries[path] = Entry(
            path=path,
            kind="file",
            mode=stat.S_IMODE(state.st_mode),
            sha256=sha256,
            bytes=state.st_size,
        )
        self.states[path] = state
        if state.st_nlink > 1:
            self._shared.setdefault((state.st_ino, state.st_nlink), []).append(path)

    def _refuse_far(self, path: str, state: os.stat_result) -> None:
        if state.st_dev != self._device:
            raise PathRefused("xdev", "it lies on another file system")
        if len(path.encode()) > LONGEST:
            raise PathRefused("too_long", "the path is too long")

    def _refuse_marked(self, there: dict[str, str]) -> None:
        for mark in _WITHOUT_CONTENTS:
            if mark in there:
                raise PathRefused(mark, "its contents are elsewhere")

    def _refuse(self, path: str, error: OSError | PathRefused) -> None:
        """Note what cannot be kept; something that is gone already was never there."""
        where = f"{self._root.path}/{path}"
        refused = error if isinstance(error, PathRefused) else failure(error, where, reading=True)
        if not isinstance(refused, PathRefused) or not path:
            raise refused from error
        entry = self.entries.pop(path)
        if refused.code != "missing":
            self.entries[path] = Entry(
                path=path, kind="other", mode=entry.mode, reason=refused.code
            )

    def _refuse_names_outside(self) -> None:
        """Refuse files that have more names than the directory holds."""
        for (_, names), paths in self._shared.items():
            if len(paths) != names:
                for path in paths:
                    self.entries[path] = msgspec.structs.replace(
                        self.entries[path], kind="other", reason="hardlink"
                    )


def _names(descriptor: int) -> list[tuple[str, os.stat_result]]:
    """Return what is in a folder, each with its state."""
    found: list[tuple[str, os.stat_result]] = []
    with os.scandir(descriptor) as items:
        for item in items:
            try:
                found.append((item.name, item.stat(follow_symlinks=False)))
            except FileNotFoundError:
                continue
    return found
