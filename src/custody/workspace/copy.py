"""Copies a source tree into a new workspace, and every content into the blobs.

First the contents become blobs, by links where an earlier run has them; then the workspace is
filled from the blobs, while they are made durable. So the bytes that are hashed are the bytes
that are kept and the bytes that a stage will see, whoever writes the source meanwhile.

Modes, times of files and symlinks are kept as they are; hard links become files of their own.
What is left out is said in `custody.workspace.source`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain

from custody.model.change import Entry
from custody.store.blobs import Blobs
from custody.store.change_time import clock_of, is_young
from custody.store.hash_cache import HashCache
from custody.store.root import Root
from custody.store.workers import FEW, at_work, piece_size, processes
from custody.workspace.build import Build
from custody.workspace.donor import Donor
from custody.workspace.scan import Scanner
from custody.workspace.source import Group, Source
from custody.workspace.take import Take, Taken, read_taken


class TreeCopy:
    """One copy: first `take`, then `fill`, then it can be asked what was copied."""

    def __init__(self, source: Root, target: Root, blobs: Blobs) -> None:
        self._source = source
        self._blobs = blobs
        self._build = Build(target, blobs.folder)
        self._looked = clock_of(target.fd)
        self._device = os.fstat(target.fd).st_dev
        self._pieces: list[list[Taken]] = []
        self.omitted: tuple[str, ...] = ()

    def take(self, listed: Source, cache: HashCache, donor: Donor | None) -> None:
        """Make every content a blob, and every folder and link.

        Raises `PathRefused` for a file that cannot be read or never holds still, and
        `StorageFailed` when the disk fails.
        """
        self.omitted = tuple(listed.omitted)
        count = sum(len(group.names) for group in listed.files)
        pieces = list(_cut(listed.files, piece_size(count)))
        work = Take(self._source, self._blobs.folder, pieces, cache.files, donor)
        with closing(work), at_work(work, processes(count)) as workers:
            self._build.make_folders(listed.folders.items())
            self._build.make_links(listed.links.items())
            self._pieces = [read_taken(answer) for answer in workers.results()]
        work.refuse_half(self._taken())
        self._blobs.made(file.sha256 for file in self._taken())
        self._build.plan_files(self._pieces)

    def fill(self) -> None:
        """Make every file from its blob, and meanwhile, if they are many, the blobs durable.

        Afterwards they could only be synced together with the files, which need not be durable.
        Raises `StorageFailed` when the disk fails.
        """
        count = sum(map(len, self._pieces))
        self._build.fill(processes(count), check=False, meanwhile=self._sync_many)

    def entries(self) -> dict[str, Entry]:
        """Return what the workspace holds; known when everything was taken."""
        return self._build.entries()

    def teach(self, scanner: Scanner) -> None:
        """Let a scanner know the copy; see `Build.teach`."""
        self._build.teach(scanner)

    def hashes(self, run_id: str) -> HashCache:
        """Return what the next run over the source need not read, if it has not changed until then.

        Only the clock by which a change time is set can tell whether the file was old enough.
        """
        looked = self._looked
        known = {
            file.path: file.known()
            for file in self._taken()
            if looked and file.device == self._device and not is_young(file.changed, looked)
        }
        return HashCache(run_id, known)

    def _sync_many(self) -> None:
        if sum(map(len, self._pieces)) > FEW:
            self._blobs.sync()

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
