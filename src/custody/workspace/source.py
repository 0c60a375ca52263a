"""Lists a source tree before it is copied: folders, links, files, and what is left out.

The source is only looked at: through descriptors, without following a symlink, in whatever mode
it is. Left out, and told, are ``.git`` in any folder, the folders of runs, whosever they are, and
what is no file, folder or symlink; what patterns exclude is left out, and the patterns are told. A
name that is not UTF-8 cannot be told and is refused; so is a path that the kernel would not take.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from custody.errors import PathRefused
from custody.model import layout
from custody.store.open_folders import OpenFolders
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.exclusion import Exclusion
from custody.workspace.rights import kept_mode
from custody.workspace.run_marks import belongs_to_runs
from custody.workspace.scan import LONGEST, is_utf8, path_of, shown

LEFT_OUT_NAMES = frozenset({".git", layout.TAKEOVER})

_SURELY_SHORT = LONGEST // 4 - 256
"""Characters of a folder's path in which no name makes the path too long."""

Identity = tuple[int, int]
"""Device and inode: a folder is known by them whatever path led to it."""


class Group(NamedTuple):
    """Files of one folder."""

    folder: str
    names: list[str]


class SourceTree:
    """What stands in a source tree."""

    def __init__(
        self,
        root: Root,
        left_out: AbstractSet[Identity | None],
        exclusion: Exclusion | None = None,
    ) -> None:
        self.exclusion = exclusion or Exclusion(())
        self.folders: dict[str, int] = {}
        """Their modes, each folder before those in it."""
        self.links: dict[str, str] = {}
        """Where they point."""
        self.files: list[Group] = []
        self.omitted: list[str] = []
        self.dropped: list[str] = []
        """Folders whose rights are not all taken over."""
        self._left_out = left_out
        self._waiting = [""]
        folders = OpenFolders(root)
        try:
            while self._waiting:
                self._look_into(folders.get(self._waiting[-1]), self._waiting.pop())
        finally:
            folders.close()
        self.omitted.sort()

    def _look_into(self, opened: Root, folder: str) -> None:
        try:
            with os.scandir(opened.fd) as listed:
                items = list(listed)
            known = {item.name for item in items}
            if belongs_to_runs(folder, opened, known):
                self._leave_out(folder, opened)
                return
            if not is_utf8("".join(known)):
                _refuse_odd_names(folder, known)
            if len(folder) > _SURELY_SHORT:
                _refuse_long_paths(folder, known)
            names = [item.name for item in items if self._is_file(item, folder, opened)]
        except OSError as error:
            raise failure(error, opened.path, reading=True) from error
        if names:
            self.files.append(Group(folder, names))

    def _leave_out(self, folder: str, opened: Root) -> None:
        """Leave out a folder that was noted; the source itself cannot be."""
        if not folder:
            hint = "its `workspace` can be one"
            raise PathRefused("runs", "a run cannot be a source", where=opened.path, hint=hint)
        del self.folders[folder]
        self.omitted.append(folder)

    def _is_file(self, item: os.DirEntry[str], folder: str, opened: Root) -> bool:
        """Whether it is a file that is copied; note everything else.

        Most are, and need no more than to be asked: a source may hold very many.
        """
        try:
            if item.is_file(follow_symlinks=False) and item.name not in LEFT_OUT_NAMES:
                patterns = self.exclusion.patterns
                excluded = patterns and self.exclusion.leaves_out(path_of(folder, item.name))
                return not excluded
            return self._classify(item, path_of(folder, item.name), opened.fd)
        except OSError as error:
            raise failure(error, f"{opened.path}/{item.name}", reading=True) from error

    def _classify(self, item: os.DirEntry[str], path: str, folder: int) -> bool:
        if item.name in LEFT_OUT_NAMES:
            self.omitted.append(path)
        elif self.exclusion.leaves_out(path, folder=item.is_dir(follow_symlinks=False)):
            return False
        elif item.is_symlink():
            target = os.readlink(item.name, dir_fd=folder)
            _refuse_odd_bytes(target, path)
            self.links[path] = target
        elif item.is_dir(follow_symlinks=False):
            self._note_folder(item, path)
        elif item.is_file(follow_symlinks=False):
            return True
        else:
            self.omitted.append(path)
        return False

    def _note_folder(self, item: os.DirEntry[str], path: str) -> None:
        state = item.stat(follow_symlinks=False)
        if (state.st_dev, state.st_ino) in self._left_out:
            self.omitted.append(path)
        else:
            self.folders[path] = kept_mode(state.st_mode)
            if self.folders[path] != stat.S_IMODE(state.st_mode):
                self.dropped.append(path)
            self._waiting.append(path)


def _refuse_odd_names(folder: str, names: AbstractSet[str]) -> None:
    for name in sorted(names):
        _refuse_odd_bytes(name, path_of(folder, name))


def _refuse_long_paths(folder: str, names: AbstractSet[str]) -> None:
    for name in sorted(names):
        if len(path_of(folder, name).encode()) > LONGEST:
            raise PathRefused(
                "too_long",
                f"something in it has a path of more than {LONGEST} bytes",
                where=folder.split("/", 1)[0],
                hint="leave that folder out: `exclude` in custody.toml, or .custodyignore",
            )


def _refuse_odd_bytes(text: str, path: str) -> None:
    if not is_utf8(text):
        raise PathRefused(
            "surrogate",
            "its name, or where it links to, is not UTF-8",
            where=shown(path),
            hint="rename it, or give a --workdir without it",
        )
