"""Puts an upper directory into the lower one it lay on, where nobody needs a record of it."""

from __future__ import annotations

import os
import stat

from custody.errors import PathRefused
from custody.store.os_errors import failure
from custody.store.root import Root
from custody.workspace.overlay import marks


def merge(upper: Root, lower: Root) -> None:
    """Make ``lower`` what the merged tree was; ``upper`` is empty of contents afterwards.

    Broken off, it leaves a part of both. Raises `StorageFailed` when the disk fails.
    """
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        _open_up(upper, folder)
        _open_up(lower, folder)
        with _below(upper, folder) as above, _below(lower, folder) as below:
            waiting += [_path(folder, name) for name in above.names() if _merge(above, below, name)]


def _merge(upper: Root, lower: Root, name: str) -> bool:
    """Put one name into the lower directory; tell whether it is a folder of both."""
    state = upper.stat(name)
    there = _state(lower, name)
    if marks.is_device_whiteout(state):
        if there is not None:
            lower.remove_tree(name)
        return False
    both = stat.S_ISDIR(state.st_mode) and there is not None and stat.S_ISDIR(there.st_mode)
    if both and not _is_opaque(upper, name):
        return True
    if there is not None:
        lower.remove_tree(name)
    try:
        os.rename(name, name, src_dir_fd=upper.fd, dst_dir_fd=lower.fd)
    except OSError as error:
        raise failure(error, f"{lower.path}/{name}") from error
    return False


def _is_opaque(root: Root, name: str) -> bool:
    _open_up(root, name)
    descriptor = root.open_dir(name)
    try:
        return marks.opaqueness(descriptor, marks.of(descriptor)) == marks.OPAQUE
    finally:
        os.close(descriptor)


def _open_up(root: Root, folder: str) -> None:
    """Give the owner the rights to a folder that he needs to change what is in it."""
    mode = root.stat(folder).st_mode if folder else stat.S_IRWXU
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        root.change_mode(folder, stat.S_IMODE(mode) | stat.S_IRWXU)


def _state(root: Root, name: str) -> os.stat_result | None:
    try:
        return root.stat(name)
    except PathRefused:
        return None


def _below(root: Root, folder: str) -> Root:
    return Root(root.open_dir(folder), _path(root.path, folder) if folder else root.path)


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
