"""What a stage's overlay is made of, and what becomes of it when the stage has ended."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from custody.errors import PathRefused, StorageFailed
from custody.model import layout
from custody.model.change import Change, Entry, Layer
from custody.model.holdouts import Holdouts
from custody.store import files
from custody.store.layer_folders import LayerFolders
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.workspace.contents import Contents
from custody.workspace.overlay.layer import Layers, Upper
from custody.workspace.overlay.mask import Mask
from custody.workspace.overlay.promote import Promotion


class Stack:
    """The layers of one run's stages."""

    def __init__(self, run: RunDirectory, contents: Contents) -> None:
        self._blobs = run.blobs
        self._run = run.root
        self._folders = LayerFolders(run.root)
        self._contents = contents
        self._captured: tuple[Layers, Upper, tuple[Change, ...]] | None = None

    def begin(
        self, name: str, below: Root, hidden: Holdouts, expected: Mapping[str, Entry]
    ) -> Layers:
        """Make the layers for the attempt ``name`` on top of the workspace ``below``."""
        place = self._folders.make(name, os.fstat(below.fd))
        lower: tuple[str, ...] = (below.path,)
        if hidden.paths:
            with self._folders.make_mask(name) as root:
                lower = (Mask.make(root, hidden, expected).path, below.path)
        return Layers(lower, f"{place}/{layout.UPPER}", f"{place}/{layout.WORK}", hidden)

    def capture(
        self, layers: Layers, expected: Mapping[str, Entry]
    ) -> tuple[tuple[Change, ...], Layer, tuple[str, ...]]:
        """Return what a stage changed, what vouches for it, and whose rights are not taken over.

        The contents are durable then.
        """
        with self._folders.open_upper(self._name(layers)) as root:
            upper = Upper.look(root, self._contents)
        self._blobs.sync()
        changes = upper.changes(expected, layers.hidden)
        self._captured = layers, upper, changes
        return changes, upper.record(), upper.dropped

    def promote(self, layers: Layers, below: Root, expected: Mapping[str, Entry]) -> None:
        """Put what was captured into the workspace ``below``, and clear the layers away."""
        name = self._name(layers)
        if self._captured is None or self._captured[0] != layers:
            raise StorageFailed("nothing was captured there", where=layers.upper)
        _, upper, changes = self._captured
        if changes:
            with self._folders.open_upper(name) as root:
                Promotion(self._run, self._blobs, root, upper).promote(changes, below, expected)
        self._captured = None
        self._folders.remove(name)

    def keep(self, layers: Layers) -> None:
        """Keep what a refused stage did, apart from the workspace."""
        self._captured = None
        self._folders.keep_upper(self._name(layers))

    def discard(self, layers: Layers) -> None:
        """Clear the layers away, whatever they hold."""
        self._captured = None
        self._folders.remove(self._name(layers))

    def names(self) -> Iterator[str]:
        """Yield every attempt that has layers; see `LayerFolders.names`."""
        return self._folders.names()

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
                self._folders.remove(name)
            elif name not in recorded:
                self._folders.set_aside(name)
            elif (layer := recorded[name]) is None:
                self._folders.remove(name)
            elif self.record(name) == layer:
                self._folders.keep_upper(name)
            else:
                self._folders.set_aside(name)
        self._folders.prune()

    def record(self, name: str) -> Layer | None:
        """Return what vouches for an upper directory; None when there is none."""
        try:
            with self._folders.open_upper(name) as upper:
                return Upper.look(upper, Contents(None)).record()
        except PathRefused:
            return None

    def _name(self, layers: Layers) -> str:
        """Return the attempt that layers belong to."""
        return os.path.dirname(layers.upper).removeprefix(f"{self._run.path}/{layout.LAYERS}/")
