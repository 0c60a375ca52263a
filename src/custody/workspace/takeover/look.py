"""What stands at a path of a folder that belongs to the user; symlinks are not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from msgspec.structs import replace

from custody.errors import PathRefused
from custody.model.change import Entry
from custody.store import files
from custody.store.os_errors import failure
from custody.store.root import DIGEST_LIMIT, Root
from custody.workspace.rights import kept_mode, lowered
from custody.workspace.scan import link_entry, other_entry

_NOTHING = frozenset({"missing", "not_directory"})


def look(root: Root, path: str) -> Entry | None:
    """Return what stands there, without the rights that nobody gets by a copy; None for nothing.

    A file may have more names than one. Raises `PathRefused` where a symlink or another file
    system is on the way, and for what cannot be read or changes meanwhile.
    """
    try:
        state = root.stat(path)
    except PathRefused as refused:
        if refused.code in _NOTHING:
            return None
        raise
    if stat.S_ISDIR(state.st_mode):
        return Entry(path=path, kind="dir", mode=kept_mode(state.st_mode))
    if stat.S_ISLNK(state.st_mode):
        return link_entry(path, root.read_link(path), state)
    if not stat.S_ISREG(state.st_mode):
        return other_entry(path, state, "not_regular")
    return _file(root, path)


def _file(root: Root, path: str) -> Entry:
    where = f"{root.path}/{path}"
    descriptor = root.open_fd(path, files.READ | os.O_NOFOLLOW)
    try:
        state = files.regular(descriptor, DIGEST_LIMIT)
        sha256, size = files.hash_all(descriptor, state.st_size + 1)
        files.refuse_changed(descriptor, state, size)
    except PathRefused as refused:
        raise PathRefused(refused.code, refused.what, where=where) from None
    except OSError as error:
        raise failure(error, where, reading=True) from error
    finally:
        os.close(descriptor)
    mode = kept_mode(state.st_mode)
    return Entry(path=path, kind="file", mode=mode, sha256=sha256, bytes=size)


def same(one: Entry | None, other: Entry | None) -> bool:
    """Whether two entries are alike, wherever they stand; a symlink has no mode of its own."""
    if one is None or other is None:
        return one is other
    return _essence(one) == _essence(other)


def _essence(entry: Entry) -> Entry:
    mode = 0 if entry.kind == "symlink" else lowered(entry).mode
    return replace(entry, path="", mode=mode)


def below(root: Root, folder: str) -> Iterator[str]:
    """Yield every path below a folder, each folder before what is in it."""
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        with root.scan(current) as items:
            found = [(item.name, item.is_dir(follow_symlinks=False)) for item in items]
        for name, is_folder in found:
            path = f"{current}/{name}"
            yield path
            if is_folder:
                waiting.append(path)
