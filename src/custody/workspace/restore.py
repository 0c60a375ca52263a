"""Puts a workspace back to what is expected of it, from the blobs."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import TypeGuard

from custody.model.change import Entry
from custody.store import files
from custody.store.blobs import Blobs
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.contents import IN_MEMORY, copy_all
from custody.workspace.rights import lowered

Difference = Mapping[str, tuple[Entry | None, Entry | None]]
"""By path: what is expected, and what is there."""

_OPEN = stat.S_IRWXU
"""What the owner of a folder needs to change what is in it."""


class Restoration:
    """Knows how to put back what differs."""

    def __init__(self, run: Root, blobs: Blobs) -> None:
        self._run = run
        self._blobs = blobs

    def put_back(self, root: Root, difference: Difference, expected: Mapping[str, Entry]) -> None:
        """Make every path of ``difference`` what is expected of it.

        A folder that was closed to its owner is only opened: what is inside is known after
        another look. Everything else is done at once: what is too much goes, folders come
        before what they hold, files are always new ones, and folders get their modes last.
        """
        if _open_closed(root, difference):
            return
        modes = _open_parents(root, difference, expected)
        _clear(root, difference)
        for path, (due, actual) in sorted(difference.items()):
            if due is None:
                continue
            wanted = lowered(due)
            if _is_folder(wanted):
                modes[path] = wanted.mode
            self._make(root, path, wanted, actual)
        for path in sorted(modes, reverse=True):
            root.change_mode(path, modes[path])

    def _make(self, root: Root, path: str, wanted: Entry, actual: Entry | None) -> None:
        if wanted.kind == "symlink":
            root.write_link(path, wanted.target)
        elif wanted.kind == "dir":
            if not _is_folder(actual):
                root.make_dirs(path)
        else:
            self._put_file(root, path, wanted)

    def _put_file(self, root: Root, path: str, wanted: Entry) -> None:
        if wanted.bytes <= IN_MEMORY:
            root.write(path, self._blobs.get(wanted.sha256), mode=wanted.mode)
        else:
            self._blobs.check(wanted.sha256)
            self._write_large(root, path, wanted)

    def _write_large(self, root: Root, path: str, wanted: Entry) -> None:
        """Copy a blob inside the kernel."""
        blob = self._run.open_fd(self._blobs.path_of(wanted.sha256), files.READ)
        temporary = files.temporary_name()
        try:
            with root.parent(path) as (folder, name):
                target = files.open_new(folder, temporary)
                try:
                    copy_all(blob, target)
                    os.fchmod(target, wanted.mode)
                finally:
                    os.close(target)
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise failure(error, f"{root.path}/{path}") from error
        finally:
            os.close(blob)


def _open_closed(root: Root, difference: Difference) -> bool:
    """Open the folders that nobody could look into; tell whether there were any."""
    closed = [
        path
        for path, (wanted, actual) in difference.items()
        if _is_folder(wanted) and actual is not None and actual.reason == "unreadable"
    ]
    for path in closed:
        root.change_mode(path, _OPEN)
    return bool(closed)


def _open_parents(
    root: Root, difference: Difference, expected: Mapping[str, Entry]
) -> dict[str, int]:
    """Open the folders that stay and in which something changes; return the modes due to them."""
    modes: dict[str, int] = {}
    for path in {path.rpartition("/")[0] for path in difference}:
        wanted = expected.get(path)
        actual = difference[path][1] if path in difference else wanted
        if _is_folder(wanted) and _is_folder(actual) and actual.mode & _OPEN != _OPEN:
            root.change_mode(path, actual.mode | _OPEN)
            modes[path] = lowered(wanted).mode
    return modes


def _clear(root: Root, difference: Difference) -> None:
    """Remove what must not stay; files and links too, because they are made anew."""
    gone = ""
    for path, (wanted, actual) in sorted(difference.items(), key=lambda item: item[0].split("/")):
        stays = actual is None or (_is_folder(wanted) and _is_folder(actual))
        if not stays and not (gone and path.startswith(f"{gone}/")):
            root.remove_tree(path)
            gone = path


def _is_folder(entry: Entry | None) -> TypeGuard[Entry]:
    return entry is not None and entry.kind == "dir"
