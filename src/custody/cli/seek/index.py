"""`custody seek index`: take in what is new, and let go of what is gone."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from custody.cli.result import Arguments, Line, Result
from custody.cli.seek.opening import opened

if TYPE_CHECKING:
    from custody.seek.update import Updated

SHOWN = 10
"""Sources that could not be had, of which each is told."""


def arguments(parser: Arguments) -> None:
    """Declare what is indexed."""
    parser.add_argument(
        "--rebuild", action="store_true", help="index: empty the index first, and take all anew"
    )
    parser.add_argument(
        "--no-documents",
        action="store_true",
        help="index: the logbook alone; documents that are there stay",
    )


def execute(options: Namespace) -> Result:
    """Bring the index up."""
    from custody.seek.update import Docs, IndexUpdate

    with opened(options) as (book, index, resolver, root):
        if options.rebuild:
            index.rebuild()
        docs = None
        if not options.no_documents:
            patterns = tuple(options.words) or index.patterns(root)
            docs = Docs(root, patterns, os.environ)
        with _Progress() as told:
            updated = IndexUpdate(index, book, resolver, told).run(docs)
        stats, digest = index.stats(), index.digest()
    data = {
        "status": "PASS",
        "added": updated.added,
        "removed": updated.removed,
        "kept": updated.kept,
        "vectors": updated.vectors,
        "unresolved": [one._asdict() for one in updated.unresolved],
        "notes": updated.notes,
        "index": stats,
        "digest": digest,
    }
    return Result(data=data, text=_lines(updated, stats.sources, stats.chunks))


class _Progress:
    """Counts on a terminal's last line, and leaves nothing there."""

    def __init__(self) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __call__(self, seen: int) -> None:
        """Show how many sources were looked at."""
        if self._shown:
            print(f"\r{seen} sources", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _lines(updated: Updated, sources: int, chunks: int) -> Iterator[Line]:
    from custody.cli.render.table import count

    for one in updated.unresolved[:SHOWN]:
        yield Line(f"not indexed  {one.artifact_uri}: {one.reason} ({one.code})", "warn", hang=2)
    if (more := len(updated.unresolved) - SHOWN) > 0:
        told = f"{count(more, 'source')} more not indexed: `custody seek status --json`"
        yield Line(told, "warn", hang=2)
    for note in updated.notes:
        yield Line(note, "warn", hang=2)
    done = f"{count(updated.added, 'new source')}, {updated.removed} gone, {updated.kept} kept"
    yield Line(f"indexed  {done}", "good", hang=2)
    yield Line(f"the index has {count(sources, 'source')} in {count(chunks, 'piece')}", "faint")
