"""The pipelines that a repository offers as workflows, read out of it without leaving it."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence

from custody.errors import PathRefused
from custody.model.relpath import RelPath
from custody.store.root import Root

FOLDER = "workflows"
"""Where they are looked for when nothing is said."""
MOST = 200
SIZE_LIMIT = 1 << 20
_LINKS = 1 << 16
_SUFFIX = ".dot"


def workflow_files(root: Root, named: Sequence[str] = ()) -> dict[str, bytes | str]:
    """Return each pipeline by its path, or why it could not be read; at most `MOST` of them.

    ``named`` are files, and folders whose ``*.dot`` count. One that is not there is told, unless
    nobody named it.
    """
    found: dict[str, bytes | str] = {}
    for path in _paths(root, named or (FOLDER,), told=bool(named)):
        if len(found) < MOST:
            found[path] = _read(root, path)
    return found


def _paths(root: Root, named: Sequence[str], *, told: bool) -> Iterator[str]:
    for name in named:
        path = name.rstrip("/")
        try:
            RelPath.parse(path)
            is_folder = stat.S_ISDIR(root.stat(path).st_mode)
            names = root.names(path) if is_folder else []
        except PathRefused:
            if told:
                yield path
            continue
        dots = [f"{path}/{each}" for each in names if each.endswith(_SUFFIX)]
        yield from dots if is_folder else (path,)


def _read(root: Root, path: str) -> bytes | str:
    try:
        return root.read(RelPath.parse(path), limit=SIZE_LIMIT, links=_LINKS)
    except PathRefused as refused:
        return refused.what
