"""An earlier run whose contents a new one can have by links instead of copies.

A blob is linked when it was there before the earlier run began: the first line of its journal
names the tree with which it began, every content of that tree was durable before that line, and
the file has been written by nobody since. Blobs of its stages are left alone: after a power
failure one that no line names may be half.

Nothing is read for that. A blob that was damaged without its times telling is damaged in each
run that shares it, and `custody verify` says so for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from custody.errors import CustodyError, JournalBroken
from custody.model import layout
from custody.model.event import PipelineStarted
from custody.store.blob_folder import BlobFolder
from custody.store.blobs import Blobs
from custody.store.index import newest_runs
from custody.store.journal import read_lines
from custody.store.root import Root
from custody.workspace.tree import read_listing

_TRIED = 3
"""How many runs are looked at before there is none."""


class Donor:
    """The contents with which an earlier run began."""

    def __init__(self, folder: BlobFolder, sizes: Mapping[str, int], before: int) -> None:
        self._folder = folder
        self._sizes = sizes
        self._all_sizes = frozenset(sizes.values())
        self._before = before

    def has_size(self, size: int) -> bool:
        """Whether a content of that size is among them."""
        return size in self._all_sizes

    def link(self, own: BlobFolder, sha256: str) -> bool:
        """Give a content a name in another run as well; False when that one must make its own."""
        size = self._sizes.get(sha256)
        state = self._folder.state(sha256) if size is not None else None
        return (
            state is not None
            and state.st_size == size
            and state.st_mtime_ns <= self._before
            and own.link(self._folder, sha256)
        )


@contextmanager
def donor(runsdir: Root, run_id: str) -> Iterator[Donor | None]:
    """Find the run to link from: the one that is named, else the latest that will do."""
    for name in _candidates(runsdir, run_id):
        try:
            with runsdir.sub(name) as run:
                sizes, before = _beginning(run)
                blobs = run.sub(layout.BLOBS)
        except CustodyError:
            continue  # it is broken, or being removed: others are told of that when they use it
        with blobs:
            yield Donor(BlobFolder(blobs.fd, blobs.path), sizes, before)
        return
    yield None


def _candidates(runsdir: Root, run_id: str) -> Iterable[str]:
    if run_id:
        yield run_id
    yield from newest_runs(runsdir)[:_TRIED]


def _beginning(run: Root) -> tuple[dict[str, int], int]:
    """Return the sizes of the contents that a run began with, and the moment, in nanoseconds."""
    from datetime import UTC, datetime, timedelta

    line = next(read_lines(run, torn_ok=True), None)
    started = line.fact() if line else None
    if line is None or not isinstance(started, PipelineStarted):
        raise JournalBroken("genesis", "the journal does not begin with PipelineStarted", line=1)
    tree = started.workspace.sha256
    entries = read_listing(Blobs(run).get(tree), where=run.path).values()
    sizes = {entry.sha256: entry.bytes for entry in entries if entry.kind == "file"}
    try:
        since = datetime.fromisoformat(line.ts) - datetime.fromtimestamp(0, UTC)
    except (ValueError, TypeError):  # no moment, or one without a zone
        raise JournalBroken("json", f"{line.ts!r} is no moment", line=1) from None
    return sizes, since // timedelta(microseconds=1) * 1000
