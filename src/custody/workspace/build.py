"""Builds a workspace where nothing is yet: folders, links, and files from the blobs of its run."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from custody.model import layout
from custody.model.change import Entry
from custody.store import files
from custody.store.blob_folder import BlobFolder
from custody.store.open_folders import OpenFolders
from custody.store.root import Root
from custody.store.rundir import RunDirectory
from custody.store.workers import at_work, piece_size, processes
from custody.workspace.fill import Fill, Wanted, read_states
from custody.workspace.rights import lowered
from custody.workspace.scan import FileState, Seen, folder_seen, link_entry, seen_as


@contextmanager
def under_another_name(run: Root, folder: str) -> Iterator[Root]:
    """Make a folder under a temporary name, and call it ``folder`` when it is complete.

    What has that name must be an empty folder. When the work fails, nothing is left of it.
    """
    temporary = files.temporary_name()
    run.make_dirs(temporary)
    try:
        with run.sub(temporary) as target:
            yield target
        run.rename(temporary, folder)
    except BaseException:
        run.remove_tree(temporary)
        raise


class Build:
    """One workspace that is being built, and what stands in it."""

    def __init__(self, target: Root, blobs: BlobFolder) -> None:
        self._target = target
        self._blobs = blobs
        self._folders: list[Entry] = []
        self._links: list[tuple[Entry, os.stat_result]] = []
        self._pieces: Sequence[Sequence[Wanted]] = ()
        self._states: list[FileState] = []
        self._filled = 0
        """When all was there."""

    def make_folders(self, modes: Iterable[tuple[str, int]]) -> None:
        """Make folders, each before those in it; open to their owner until all is filled."""
        with closing(OpenFolders(self._target)) as folders:
            for path, mode in modes:
                above, _, name = path.rpartition("/")
                folders.get(above).make_dir(name, mode | stat.S_IRWXU)
                self._folders.append(Entry(path=path, kind="dir", mode=mode))

    def make_links(self, targets: Iterable[tuple[str, str]]) -> None:
        """Make symlinks, in folders that are there."""
        for path, to in targets:
            self._target.write_link(path, to)
            state = self._target.stat(path)
            self._links.append((link_entry(path, to, state), state))

    def fill(
        self,
        pieces: Sequence[Sequence[Wanted]],
        processes: int,
        *,
        check: bool,
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Make files, in pieces for one process each; something else is done ``meanwhile``.

        With ``check`` no blob is believed to be what its name says. Raises `StorageFailed` when
        the disk fails, and `BlobDamaged`.
        """
        self._pieces = pieces
        work = Fill(self._target, self._blobs, pieces, check=check)
        with closing(work), at_work(work, processes) as workers:
            if meanwhile is not None:
                meanwhile()
            answers = workers.results()
        self._states = [state for answer in answers for state in read_states(answer)]
        for folder in reversed(self._folders):
            if folder.mode & stat.S_IRWXU != stat.S_IRWXU:
                self._target.change_mode(folder.path, folder.mode)
        self._filled = time.time_ns()

    @cached_property
    def _files(self) -> list[Entry]:
        """What is known before a file is made; asked for while others make them."""
        return [
            Entry(path=it.path, kind="file", mode=it.mode, sha256=it.sha256, bytes=it.size)
            for it in chain.from_iterable(self._pieces)
        ]

    def entries(self) -> dict[str, Entry]:
        """Return what stands there, or will when all is filled."""
        links = (entry for entry, _ in self._links)
        return {entry.path: entry for entry in chain(self._folders, links, self._files)}

    def seen(self) -> Iterator[tuple[str, Seen]]:
        """Yield each path with how it was left, for a scanner that need not read it then.

        Nobody else has had the workspace before it was filled; then is when it was looked at.
        """
        for entry in self._folders:
            yield entry.path, folder_seen(entry, self._filled)
        for entry, link in self._links:
            yield entry.path, seen_as(entry, link, self._filled)
        for entry, state in zip(self._files, self._states, strict=True):
            yield entry.path, seen_as(entry, state, self._filled)


class _File(NamedTuple):
    """A file of which nothing but its entry is known."""

    path: str
    mode: int
    sha256: str
    size: int
    times: None = None


def build_anew(run: RunDirectory, expected: Mapping[str, Entry]) -> Build:
    """Make the workspace that is expected, in the place of an empty one.

    Raises `BlobDamaged` when a content is lost, and `StorageFailed` when the disk fails.
    """
    entries = sorted(map(lowered, expected.values()), key=lambda entry: entry.path)
    kept = [
        _File(entry.path, entry.mode, entry.sha256, entry.bytes)
        for entry in entries
        if entry.kind not in {"dir", "symlink"}
    ]
    size = piece_size(len(kept))
    with under_another_name(run.root, layout.WORKSPACE) as target:
        build = Build(target, run.blobs.folder)
        build.make_folders((entry.path, entry.mode) for entry in entries if entry.kind == "dir")
        build.make_links((entry.path, entry.target) for entry in entries if entry.kind == "symlink")
        pieces = [kept[begin : begin + size] for begin in range(0, len(kept), size)]
        doubtful = not run.blobs.knows(file.sha256 for file in kept)
        build.fill(pieces, processes(len(kept)), check=doubtful)
    return build
