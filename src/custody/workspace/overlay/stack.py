"""The folders of the layers: ``layers/<node>/<visit>.<attempt>/``.

    mask    hides the holdouts; only custody writes it
    upper   takes what the stage changes
    work    belongs to the kernel

They are there while a stage is at work. After an accepted stage nothing of them is left; of a
refused one ``upper`` stays as evidence; those of an attempt that no line of the journal answers
are renamed to ``<visit>.<attempt>.lost.<n>``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from custody.errors import PathRefused, StorageFailed
from custody.model import layout
from custody.model.change import Change, Entry, Layer
from custody.model.holdouts import Holdouts
from custody.store import files, syscalls
from custody.store.aside import set_aside
from custody.store.os_errors import failure
from custody.store.resolve import beneath
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.contents import Contents
from custody.workspace.overlay.layer import Layers, Upper
from custody.workspace.overlay.mask import Mask
from custody.workspace.overlay.promote import Promotion


class Stack:
    """Makes, reads and clears away the layers of one run's stages."""

    def __init__(self, run: RunDirectory, contents: Contents) -> None:
        self._blobs = run.blobs
        self._run = run.root
        self._contents = contents
        self._captured: tuple[Layers, Upper, tuple[Change, ...]] | None = None

    def begin(
        self, name: str, below: Root, hidden: Holdouts, expected: Mapping[str, Entry]
    ) -> Layers:
        """Make the layers for the attempt ``name`` on top of the workspace ``below``."""
        folder = layout.layer_folder(name)
        self.set_aside(name)
        for part in (layout.UPPER, layout.WORK, layout.MASK):
            self._run.make_dirs(f"{folder}/{part}")
        self._liken(f"{folder}/{layout.UPPER}", os.fstat(below.fd))
        with self._run.sub(f"{folder}/{layout.MASK}") as root:
            Mask.make(root, hidden, expected)
        place = f"{self._run.path}/{folder}"
        lower = (f"{place}/{layout.MASK}", below.path) if hidden.paths else (below.path,)
        return Layers(lower, f"{place}/{layout.UPPER}", f"{place}/{layout.WORK}", hidden)

    def capture(
        self, layers: Layers, expected: Mapping[str, Entry]
    ) -> tuple[tuple[Change, ...], Layer]:
        """Return what a stage changed, and what vouches for it; the contents are durable then."""
        with self.open_upper(self._name(layers)) as root:
            upper = Upper.look(root, self._contents)
        self._blobs.sync()
        changes = upper.changes(expected, layers.hidden)
        self._captured = layers, upper, changes
        return changes, upper.record()

    def promote(self, layers: Layers, below: Root, expected: Mapping[str, Entry]) -> None:
        """Put what was captured into the workspace ``below``, and clear the layers away."""
        name = self._name(layers)
        if self._captured is None or self._captured[0] != layers:
            raise StorageFailed("nothing was captured there", where=layers.upper)
        _, upper, changes = self._captured
        with self.open_upper(name) as root:
            Promotion(self._run, self._blobs, root, upper).promote(changes, below, expected)
        self._captured = None
        self.remove(name)

    def keep(self, layers: Layers) -> None:
        """Keep what a refused stage did, apart from the workspace."""
        self._captured = None
        self.keep_upper(self._name(layers))

    def open_upper(self, name: str) -> Root:
        """Open an upper directory the careful way: it holds what a stage left there.

        It has the mode of the merged root, so a stage may have closed it.
        """
        path = f"{layout.layer_folder(name)}/{layout.UPPER}"
        state = self._run.stat(path)
        if stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            self._run.change_mode(path, stat.S_IMODE(state.st_mode) | stat.S_IRWXU)
        return self._run.sub(path, resolver=beneath)

    def _name(self, layers: Layers) -> str:
        """Return the attempt that layers belong to."""
        return os.path.dirname(layers.upper).removeprefix(f"{self._run.path}/{layout.LAYERS}/")

    def remove(self, name: str) -> None:
        """Leave nothing of an attempt, nor of its node when it was the last."""
        if self._run.exists(layout.layer_folder(name)):
            self._run.remove_tree(layout.layer_folder(name))
        self._prune()

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
        if not self._run.exists(path):
            return
        self._strip(name)
        set_aside(self._run, path)

    def names(self) -> Iterator[str]:
        """Yield every attempt that has a folder, and what has no place there; not what is lost."""
        for node in self._run.names(layout.LAYERS) if self._run.exists(layout.LAYERS) else ():
            if not self._is_folder(f"{layout.LAYERS}/{node}"):
                yield node
                continue
            for attempt in self._run.names(f"{layout.LAYERS}/{node}"):
                if not layout.is_set_aside(attempt):
                    yield f"{node}/{attempt}"

    def sort_out(self, recorded: Mapping[str, Layer | None]) -> None:
        """Put what an earlier process left into order.

        ``recorded`` holds the attempts that were answered, each with what vouches for its upper
        directory when it was refused. Such a directory stays if it is whole. What has no place
        among the layers is left: nobody here made it.
        """
        for name in list(self.names()):
            if "/" not in name:
                continue
            if files.is_temporary(name.rpartition("/")[2]):
                self.remove(name)
            elif name not in recorded:
                self.set_aside(name)
            elif (layer := recorded[name]) is None:
                self.remove(name)
            elif self.record(name) == layer:
                self.keep_upper(name)
            else:
                self.set_aside(name)
        self._prune()

    def record(self, name: str) -> Layer | None:
        """Return what vouches for an upper directory; None when there is none."""
        try:
            with self.open_upper(name) as upper:
                return Upper.look(upper, Contents(None)).record()
        except PathRefused:
            return None

    def _liken(self, path: str, model: os.stat_result) -> None:
        """Give a folder the mode and the owner of another: the merged root has the upper's."""
        descriptor = self._run.open_dir(path)
        try:
            state = os.fstat(descriptor)
            if (state.st_uid, state.st_gid) != (model.st_uid, model.st_gid):
                os.fchown(descriptor, model.st_uid, model.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(model.st_mode))
        except OSError as error:
            raise failure(error, f"{self._run.path}/{path}") from error
        finally:
            os.close(descriptor)

    def _strip(self, name: str) -> None:
        """Remove everything of an attempt but the upper directory.

        The kernel closes what it makes in ``work`` to everybody, and what removes it later may
        not know how to open it.
        """
        path = layout.layer_folder(name)
        for part in self._run.names(path) if self._is_folder(path) else ():
            if part != layout.UPPER:
                self._run.remove_tree(f"{path}/{part}")

    def _prune(self) -> None:
        """Remove folders that hold nothing any more."""
        if not self._run.exists(layout.LAYERS):
            return
        for node in self._run.names(layout.LAYERS):
            self._remove_if_empty(f"{layout.LAYERS}/{node}")
        self._remove_if_empty(layout.LAYERS)

    def _remove_if_empty(self, path: str) -> None:
        if self._is_folder(path) and not self._run.names(path):
            self._run.remove(path)

    def _is_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._run.stat(path).st_mode)
