"""Files below a folder that the user named, by the ends of their names.

As in `custody.store.places` these are the user's own places: symlinks at the beginning are
followed. Below, folders that are symlinks are not entered, nor are hidden ones.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple


class FoundFile(NamedTuple):
    """A file or folder, as it was when it was looked at."""

    path: str
    mtime_ns: int
    size: int
    is_folder: bool
    readable: bool
    """Whether this process may read it, or go through it."""


def look_at(path: str) -> FoundFile | None:
    """Return what a path leads to; None when that is nowhere, or neither file nor folder."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    folder = stat.S_ISDIR(state.st_mode)
    if not folder and not stat.S_ISREG(state.st_mode):
        return None
    readable = os.access(path, os.R_OK | (os.X_OK if folder else 0))
    return FoundFile(path, state.st_mtime_ns, state.st_size, folder, readable)


def named_below(folder: str, name: str, levels: int) -> list[FoundFile]:
    """Return the files called ``name`` in a folder and below, by path; ``levels`` counts folders.

    What cannot be entered holds none.
    """
    found = [look_at(path) for path in _paths(folder, name, levels)]
    return sorted(one for one in found if one is not None and not one.is_folder)


def _paths(folder: str, name: str, levels: int) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if entry.name == name:
            yield entry.path
        elif levels > 1 and not entry.name.startswith(".") and _is_folder(entry):
            yield from _paths(entry.path, name, levels - 1)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
