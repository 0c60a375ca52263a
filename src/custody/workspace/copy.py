"""Copies a source tree into a new workspace, and every content into the blobs.

First the contents become blobs, by links where an earlier run has them; when they are durable, the
workspace is filled from them. So the bytes that are hashed are the bytes that are kept and the
bytes that a stage will see, whoever writes the source meanwhile.

Modes, times of files and symlinks are kept as they are, but for rights that nobody gets by a copy
(`custody.workspace.rights`); hard links become files of their own. What is left out is said in
`custody.workspace.source`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain

from custody.model.change import Entry, Tree
from custody.store.blobs import Blobs
from custody.store.change_time import clock_of, is_young
from custody.store.hash_cache import HashCache, Known
from custody.store.root import Root
from custody.store.workers import FEW, at_work, piece_size, processes
from custody.workspace.build import Build
from custody.workspace.donor import Donor
from custody.workspace.scan import Seen
from custody.workspace.source import Group, SourceTree
from custody.workspace.take import Take, Taken, read_taken
from custody.workspace.tree import put_tree


class TreeCopy:
    """One copy: first `take`, then `fill`, then it can be asked what was copied."""

    def __init__(self, source: Root, target: Root, blobs: Blobs) -> None:
        self._source = source
        self._blobs = blobs
        self._build = Build(target, blobs.folder)
        self._looked = clock_of(target.fd)
        self._device = os.fstat(target.fd).st_dev
        self._omitted: tuple[str, ...] = ()
        self._dropped: list[str] = []
        self._excluded: tuple[str, ...] = ()
        self._pieces: list[list[Taken]] = []
        self.expected: dict[str, Entry] = {}
        """What the workspace holds, by path."""
        self.known = HashCache()
        """What the next run over the source need not read, unless it has changed until then."""

    def take(self, listed: SourceTree, cache: HashCache, donor: Donor | None) -> None:
        """Make every content a blob, and every folder and link.

        Raises `PathRefused` for a file that cannot be read or never holds still, and
        `StorageFailed` when the disk fails.
        """
        self._omitted = tuple(listed.omitted)
        self._dropped = listed.dropped
        self._excluded = listed.exclusion.patterns
        count = sum(len(group.names) for group in listed.files)
        pieces = list(_cut(listed.files, piece_size(count)))
        work = Take(self._source, self._blobs.folder, pieces, cache, donor)
        with closing(work), at_work(work, processes(count)) as workers:
            self._build.make_folders(listed.folders.items())
            self._build.make_links(listed.links.items())
            self._pieces = [read_taken(answer) for answer in workers.results()]
        work.refuse_half(self._taken())

    def fill(self) -> Tree:
        """Make the blobs durable, if they are many, and then every file from its blob.

        In this order although it could be done at once: beside the copying, a sync waits for
        the files that are made meanwhile, which need not be durable, and takes several times
        as long. Return the pointer to the tree. Raises `StorageFailed` when the disk fails.
        """
        count = sum(map(len, self._pieces))
        trees: list[Tree] = []

        def sync() -> None:
            if count > FEW:
                self._blobs.sync()

        def meanwhile() -> None:
            trees.append(self._keep_record())
            sync()

        self._blobs.made(file.sha256 for file in self._taken())
        sync()
        self._build.fill(self._pieces, processes(count), check=False, meanwhile=meanwhile)
        return trees[0]

    def seen(self) -> Iterator[tuple[str, Seen]]:
        """Yield what a scanner is to know of the copy; see `Build.seen`."""
        return self._build.seen()

    def _keep_record(self) -> Tree:
        """Note what there is, and put its listing to the blobs."""
        self.expected = self._build.entries()
        dropped = sorted((*self._dropped, *(file.path for file in self._taken() if file.dropped)))
        tree = put_tree(self._blobs, self.expected, self._omitted, tuple(dropped), self._excluded)
        self.known = HashCache.of("", tree.sha256, self._old())
        return tree

    def _old(self) -> dict[str, dict[str, Known]]:
        """Return the files, by folder and name, that were old enough to be known by their times.

        Only the clock by which change times are set can tell that.
        """
        found: dict[str, dict[str, Known]] = {}
        if not self._looked:
            return found
        for file in self._taken():
            if file.device == self._device and not is_young(file.changed, self._looked):
                folder, _, name = file.path.rpartition("/")
                found.setdefault(folder, {})[name] = file.known()
        return found

    def _taken(self) -> Iterator[Taken]:
        return chain.from_iterable(self._pieces)


def _cut(groups: Iterable[Group], size: int) -> Iterator[list[Group]]:
    """Yield pieces of about ``size`` files."""
    piece: list[Group] = []
    room = size
    for folder, names in groups:
        for begin in range(0, len(names), size):
            part = names[begin : begin + size]
            piece.append(Group(folder, part))
            room -= len(part)
            if room <= 0:
                yield piece
                piece, room = [], size
    if piece:
        yield piece
