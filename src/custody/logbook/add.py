"""Puts files into the logbook: the user's own, and what a run left."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from custody.errors import UsageError
from custody.logbook.artifacts import ArtifactStore, sha256_of
from custody.logbook.book import Logbook
from custody.logbook.records import Attachment, Item, Meta, NewAttachment
from custody.logbook.text import shortened
from custody.model import layout
from custody.model.record import Record
from custody.store.root import Root, read_file
from custody.store.rundir import RunDirectory

FILES = "files"
RUN = "run"
_KEPT = {
    layout.PACKET: "packet",
    layout.MANIFEST: "manifest",
    layout.SUMMARY: "summary",
    layout.EVENTS: "journal",
}
_OUTPUTS = (layout.DOCS, layout.AUDITS, layout.ARTIFACTS, layout.REVIEWS)
"""The folders of a run whose files are what it has made."""


class Added(Record, frozen=True):
    """What was put in, or was there already."""

    item: Item
    attachments: tuple[Attachment, ...]


def add_files(
    book: Logbook, store: ArtifactStore, paths: Sequence[str], *, name: str, kind: str, title: str
) -> Added:
    """Add files as attachments of the item of that name; all are read before any is added."""
    contents = [(os.path.basename(path), kind, read_file(path)) for path in paths]
    if not contents:
        raise UsageError("nothing to add", hint="name files, or a run with --run")
    item = book.add_item(FILES, name, title)
    return _attached(book, store, item, contents)


def add_run(book: Logbook, store: ArtifactStore, path: str) -> Added:
    """Add what an ended run left: its packet, its journal, and what it has made.

    Raises `UsageError` for a run without a packet: it has not ended.
    """
    with RunDirectory.open(path, write=False) as run:
        if not run.root.exists(layout.PACKET):
            hint = "a run has one when it has ended; `custody verify RUN --rebuild` makes it again"
            raise UsageError("the run has no packet", where=path, hint=hint)
        names = [*_KEPT, *_made(run.root)]
        contents = [(name, _KEPT.get(name, "output"), run.root.read(name)) for name in names]
        item = book.add_item(RUN, run.run_id, run.run_id)
    return _attached(book, store, item, contents)


def _made(run: Root) -> Iterator[str]:
    waiting = [folder for folder in reversed(_OUTPUTS) if run.exists(folder)]
    while waiting:
        folder = waiting.pop()
        with run.scan(folder) as entries:
            found = sorted(
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.is_symlink()
            )
        for name, is_folder in found:
            if is_folder:
                waiting.append(f"{folder}/{name}")
            else:
                yield f"{folder}/{name}"


def _attached(
    book: Logbook, store: ArtifactStore, item: Item, contents: Sequence[tuple[str, str, bytes]]
) -> Added:
    """Attach contents: the bytes first, and durable, then the rows that name them."""
    keys = [store.put(data) for _, _, data in contents]
    store.settle()
    attachments = []
    for key, (name, kind, data) in zip(keys, contents, strict=True):
        meta: Meta = {"name": shortened(name)}
        new = NewAttachment(
            item_id=item.item_id,
            kind=kind,
            uri=key,
            sha256=sha256_of(key),
            size_bytes=len(data),
            meta=meta,
        )
        attachments.append(book.add_attachment(new))
    return Added(item=item, attachments=tuple(attachments))
