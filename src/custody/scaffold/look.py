"""The files of a folder, as far as a project is known by them."""

from __future__ import annotations

import sys

from custody.errors import PathRefused, StorageFailed
from custody.scaffold.project import Project, look
from custody.store.root import Root

MOST_READ = 1 << 20
"""How much of a file is read; a larger one tells nothing."""
ANY_NAMES = sys.maxsize
"""A file of the user's may have as many names as it likes."""


def look_at(folder: str, tests: str = "") -> Project:
    """Return what a folder's files tell; raises `PathRefused` when there is none."""
    with Root.open(folder) as root:
        return look(_Files(root), tests)


class _Files:
    """Reads below one folder; what cannot be read there counts as not there."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def names(self, folder: str = "") -> list[str]:
        return self._root.names(folder) if self.is_folder(folder) else []

    def text(self, path: str) -> str:
        try:
            return self._root.read(path, limit=MOST_READ, links=ANY_NAMES).decode(errors="replace")
        except (PathRefused, StorageFailed):
            return ""

    def is_folder(self, path: str) -> bool:
        try:
            self._root.sub(path).close()
        except (PathRefused, StorageFailed):
            return False
        return True
