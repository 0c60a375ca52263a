"""An earlier run whose contents a new one can have by links instead of copies.

A blob is linked when it was there before the earlier run began: the first line of its journal
names the tree with which it began, every content of that tree was durable before that line, and
the file has been written by nobody since. Blobs of its stages are left alone: after a power
failure one that no line names may be half.

Nothing is read for that but, where a cache of hashes does not vouch for it, the listing of that
tree. A blob that was damaged without its times telling is damaged in each
run that shares it, and `custody verify` says so for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from functools import cached_property

from custody.errors import CustodyError, JournalBroken
from custody.model import layout
from custody.model.change import Entry
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

    def __init__(self, folder: BlobFolder, beginning: Beginning) -> None:
        self._folder = folder
        self._beginning = beginning

    def began_with(self, tree: str) -> bool:
        """Whether it began with the tree of that listing."""
        return self._beginning.tree == tree

    def has_size(self, size: int) -> bool:
        """Whether a content of that size is among them."""
        return size in self._beginning.all_sizes

    def link(self, own: BlobFolder, sha256: str, size: int | None = None) -> bool:
        """Give a content a name in another run as well; False when that one must make its own.

        Its ``size`` is given by whoever knows already that it is among them.
        """
        if size is None:
            size = self._beginning.sizes.get(sha256)
        state = self._folder.state(sha256) if size is not None else None
        return (
            state is not None
            and state.st_size == size
            and state.st_mtime_ns <= self._beginning.before
            and own.link(self._folder, sha256)
        )


class Beginning:
    """What the first line of a journal says of the contents that its run began with."""

    def __init__(self, tree: str, before: int, read: Callable[[], Iterable[Entry]]) -> None:
        self.tree = tree
        """Sha256 of their listing."""
        self.before = before
        """The moment of the line, in nanoseconds."""
        self._read = read

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """By their sha256; none when the listing cannot be read: others are told of that."""
        try:
            entries = self._read()
        except CustodyError:
            return {}
        return {entry.sha256: entry.bytes for entry in entries if entry.kind == "file"}

    @cached_property
    def all_sizes(self) -> AbstractSet[int]:
        """Whatever sizes there are."""
        return frozenset(self.sizes.values())


@contextmanager
def donor(runsdir: Root, run_id: str, tree: str = "") -> Iterator[Donor | None]:
    """Find the run to link from: the one that is named, else the latest that will do.

    One that began with ``tree`` will do without a look at its listing; of others, one that began
    with no content at all is passed over.
    """
    for name in _candidates(runsdir, run_id):
        with ExitStack() as opened:
            try:
                run = opened.enter_context(runsdir.sub(name))
                beginning = _beginning(run)
                if beginning.tree != tree and not beginning.sizes:
                    continue
                blobs = opened.enter_context(run.sub(layout.BLOBS))
            except CustodyError:
                continue  # it is broken, or being removed: others are told when they use it
            yield Donor(BlobFolder(blobs.fd, blobs.path), beginning)
        return
    yield None


def _candidates(runsdir: Root, run_id: str) -> Iterable[str]:
    if run_id:
        yield run_id
    yield from newest_runs(runsdir)[:_TRIED]


def _beginning(run: Root) -> Beginning:
    """Return what the journal of a run begins with; raises `CustodyError` when it does not."""
    from datetime import UTC, datetime, timedelta

    line = next(read_lines(run, torn_ok=True), None)
    started = line.fact() if line else None
    if line is None or not isinstance(started, PipelineStarted):
        raise JournalBroken("genesis", "the journal does not begin with PipelineStarted", line=1)
    try:
        since = datetime.fromisoformat(line.ts) - datetime.fromtimestamp(0, UTC)
    except (ValueError, TypeError):  # no moment, or one without a zone
        raise JournalBroken("json", f"{line.ts!r} is no moment", line=1) from None
    tree = started.workspace.sha256

    def read() -> Iterable[Entry]:
        return read_listing(Blobs(run).get(tree), where=run.path).values()

    return Beginning(tree, since // timedelta(microseconds=1) * 1000, read)
