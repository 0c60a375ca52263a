"""What a run, or one of its stages, did to each file: the bytes before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from custody.model.change import Change, Entry
from custody.model.event import Heard, RequestAnswered
from custody.store.blobs import Blobs
from custody.store.root import READ_LIMIT
from custody.views.attempts import attempts
from custody.views.collect import ChangesOf
from custody.views.net import NetChanges


class ChangedFile(NamedTuple):
    """One changed path with its contents."""

    folder: str
    """Of the attempt that changed it; empty for the run as a whole."""
    kept: bool
    """False when a check refused the change and it was undone."""
    change: Change
    before: bytes | None
    """None when there was no file, or when it is too large to be read at once."""
    after: bytes | None


def changed_by_run(
    blobs: Blobs, lines: Iterable[Heard], changes_of: ChangesOf
) -> Iterator[ChangedFile]:
    """Yield what differs between the beginning of the run and now."""
    net = NetChanges()
    for _, fact in lines:
        net.add(fact, changes_of(fact) if isinstance(fact, RequestAnswered) else ())
    for change in net.changes():
        yield _with_contents(blobs, "", change, kept=True)


def changed_by_node(
    blobs: Blobs, lines: Iterable[Heard], changes_of: ChangesOf, node: str
) -> Iterator[ChangedFile]:
    """Yield what each attempt at a node changed, undone changes too."""
    for attempt in attempts(lines, node):
        if attempt.answer is not None:
            for change in changes_of(attempt.answer):
                yield _with_contents(blobs, attempt.folder, change, kept=not attempt.verdicts)


def _with_contents(blobs: Blobs, folder: str, change: Change, *, kept: bool) -> ChangedFile:
    before, after = _content(blobs, change.before), _content(blobs, change.after)
    return ChangedFile(folder=folder, kept=kept, change=change, before=before, after=after)


def _content(blobs: Blobs, entry: Entry | None) -> bytes | None:
    if entry is None or entry.bytes > READ_LIMIT:
        return None
    if entry.kind == "symlink":
        return entry.target.encode(errors="surrogateescape")
    return blobs.get(entry.sha256) if entry.kind == "file" else None
