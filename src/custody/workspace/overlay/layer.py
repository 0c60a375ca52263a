"""What a stage changed, read from the upper directory of the overlay it worked on.

The lower layers are a mask (see `mask`) and the workspace, neither of which the stage can reach,
so everything it did stands in the upper directory: new contents, new modes, whiteouts for what it
removed. Much of what stands there is no change: the kernel copies a file up when it is opened for
writing, and every folder above it. What is told is exactly what a walk over the merged tree would
find, and by the same rules (`custody.workspace.scan`).

The overlay must be mounted without ``redirect_dir`` and ``metacopy``, which leave names without
contents. Where one of them was on, the entry is ``other`` with that reason, and so refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from custody.model.change import Change, Entry, Layer
from custody.model.holdouts import Holdouts
from custody.store.root import Root
from custody.workspace.contents import Contents
from custody.workspace.overlay.upper import UpperLook
from custody.workspace.rights import lowered
from custody.workspace.scan import shown
from custody.workspace.tree import change_between, listing

_NOTHING_HIDDEN = Holdouts()


class Layers(NamedTuple):
    """What a stage's overlay is made of; all paths are absolute."""

    lower: tuple[str, ...]
    """The topmost first."""
    upper: str
    work: str
    hidden: Holdouts = _NOTHING_HIDDEN
    """What the topmost lower layer hides."""


class Upper(NamedTuple):
    """What stands in an upper directory."""

    entries: dict[str, Entry]
    """Everything but the whiteouts, by path."""
    whiteouts: frozenset[str]
    opaque: frozenset[str]
    """Folders through which nothing of the lower layers is seen."""
    states: dict[str, os.stat_result]
    """What each file was when it was read."""
    able: frozenset[str]
    """Files with capabilities."""

    @classmethod
    def look(cls, root: Root, contents: Contents) -> Upper:
        """Look at everything and keep the contents; raises `StorageFailed` when the disk fails."""
        look = UpperLook(root, contents).take()
        return cls(
            look.entries,
            frozenset(look.whiteouts),
            frozenset(look.opaque),
            look.states,
            frozenset(look.able),
        )

    @property
    def dropped(self) -> tuple[str, ...]:
        """Paths that have rights which the workspace does not get."""
        special = {path for path, entry in self.entries.items() if lowered(entry) != entry}
        return tuple(sorted(special | self.able))

    def changes(
        self, expected: Mapping[str, Entry], hidden: Holdouts = _NOTHING_HIDDEN
    ) -> tuple[Change, ...]:
        """Return how the merged tree differs from what is expected of it, by path."""
        changes = [
            change_between(None if hidden.covers(path) else expected.get(path), lowered(entry))
            for path, entry in self.entries.items()
        ]
        changes += [change_between(gone, None) for gone in self._gone(expected, hidden)]
        return tuple(sorted(filter(None, changes), key=lambda change: change.path))

    def record(self) -> Layer:
        """Return what vouches for the directory as it is, whiteouts and all."""
        entries = [
            msgspec.structs.replace(entry, reason="opaque") if path in self.opaque else entry
            for path, entry in self.entries.items()
        ]
        entries += [
            Entry(path=shown(path), kind="other", mode=0, reason="whiteout")
            for path in self.whiteouts
        ]
        return Layer(sha256=hashlib.sha256(listing(entries)).hexdigest(), entries=len(entries))

    def _gone(self, expected: Mapping[str, Entry], hidden: Holdouts) -> Iterable[Entry]:
        """Return what is expected and was there to be seen, but is not any more."""
        hollow: list[str] = []
        gone: dict[str, Entry] = {}
        for path in self.whiteouts | self.opaque | self._not_folders():
            before = expected.get(path)
            if before is None or hidden.covers(path):
                continue
            if before.kind == "dir":
                hollow.append(f"{path}/")
            if path in self.whiteouts:
                gone[path] = before
        if hollow:
            gone.update(self._below(tuple(hollow), expected, hidden))
        return gone.values()

    def _not_folders(self) -> set[str]:
        return {path for path, entry in self.entries.items() if entry.kind != "dir"}

    def _below(
        self, hollow: tuple[str, ...], expected: Mapping[str, Entry], hidden: Holdouts
    ) -> dict[str, Entry]:
        return {
            path: entry
            for path, entry in expected.items()
            if path.startswith(hollow) and path not in self.entries and not hidden.covers(path)
        }
