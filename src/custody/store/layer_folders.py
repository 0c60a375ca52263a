"""The folders of the layers: ``layers/<node>/<visit>.<attempt>/``.

    mask    hides the holdouts, where there are any; only custody writes it
    upper   takes what the stage changes
    work    belongs to the kernel

They are there while a stage is at work. After an accepted stage nothing of them is left; of a
refused one ``upper`` stays as evidence; those of an attempt that no line of the journal answers
are renamed to ``<visit>.<attempt>.lost.<n>``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from custody.model import layout
from custody.store import syscalls
from custody.store.aside import set_aside
from custody.store.os_errors import failure
from custody.store.resolve import beneath
from custody.store.root import Root


class LayerFolders:
    """Makes and clears away the layers of one run; an attempt is named as its request is."""

    def __init__(self, run: Root) -> None:
        self._run = run

    def make(self, name: str, model: os.stat_result) -> str:
        """Make what an overlay needs; return where. What is there by that name is set aside.

        ``upper`` has the mode and the owner of ``model``: the merged root has them too.
        """
        path = layout.layer_folder(name)
        self.set_aside(name)
        self._run.make_dirs(path)
        with self._run.sub(path) as folder:
            folder.make_dirs(layout.WORK)
            folder.make_dirs(layout.UPPER)
            _liken(folder, layout.UPPER, model)
            return folder.path

    def make_mask(self, name: str) -> Root:
        """Make the folder that hides, still empty, and open it."""
        path = f"{layout.layer_folder(name)}/{layout.MASK}"
        self._run.make_dirs(path)
        return self._run.sub(path)

    def open_upper(self, name: str) -> Root:
        """Open an upper directory the careful way: it holds what a stage left there.

        It has the mode of the merged root, so a stage may have closed it.
        """
        path = f"{layout.layer_folder(name)}/{layout.UPPER}"
        state = self._run.stat(path)
        if stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            self._run.change_mode(path, stat.S_IMODE(state.st_mode) | stat.S_IRWXU)
        return self._run.sub(path, resolver=beneath)

    def names(self) -> Iterator[str]:
        """Yield every attempt that has a folder, and what has no place there; not what is lost."""
        for node in self._run.names(layout.LAYERS) if self._run.exists(layout.LAYERS) else ():
            if not self._is_folder(f"{layout.LAYERS}/{node}"):
                yield node
                continue
            for attempt in self._run.names(f"{layout.LAYERS}/{node}"):
                if not layout.is_set_aside(attempt):
                    yield f"{node}/{attempt}"

    def remove(self, name: str) -> None:
        """Leave nothing of an attempt, nor of its node when it was the last."""
        path = layout.layer_folder(name)
        if self._run.exists(path):
            self._run.remove_tree(path)
            self._remove_if_empty(os.path.dirname(path))
            self._remove_if_empty(layout.LAYERS)

    def keep_upper(self, name: str) -> None:
        """Leave the upper directory alone, durably, in one sync."""
        self._strip(name)
        with self.open_upper(name) as upper:
            try:
                syscalls.syncfs(upper.fd)
            except OSError as error:
                raise failure(error, upper.path) from error

    def set_aside(self, name: str) -> None:
        """Give what is there of an attempt another name; of its parts only ``upper`` is kept."""
        path = layout.layer_folder(name)
        if self._run.exists(path):
            self._strip(name)
            set_aside(self._run, path)

    def prune(self) -> None:
        """Remove the folders that hold nothing any more."""
        if self._run.exists(layout.LAYERS):
            for node in self._run.names(layout.LAYERS):
                self._remove_if_empty(f"{layout.LAYERS}/{node}")
            self._remove_if_empty(layout.LAYERS)

    def _strip(self, name: str) -> None:
        """Remove everything of an attempt but the upper directory.

        The kernel closes what it makes in ``work`` to everybody, and what removes it later may
        not know how to open it.
        """
        path = layout.layer_folder(name)
        for part in self._run.names(path) if self._is_folder(path) else ():
            if part != layout.UPPER:
                self._run.remove_tree(f"{path}/{part}")

    def _remove_if_empty(self, path: str) -> None:
        if self._is_folder(path) and not self._run.names(path):
            self._run.remove(path)

    def _is_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._run.stat(path).st_mode)


def _liken(root: Root, path: str, model: os.stat_result) -> None:
    """Give a folder the mode and the owner of another."""
    descriptor = root.open_dir(path)
    try:
        state = os.fstat(descriptor)
        if (state.st_uid, state.st_gid) != (model.st_uid, model.st_gid):
            os.fchown(descriptor, model.st_uid, model.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(model.st_mode))
    except OSError as error:
        raise failure(error, f"{root.path}/{path}") from error
    finally:
        os.close(descriptor)
