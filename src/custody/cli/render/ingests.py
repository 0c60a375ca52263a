"""What became of the fenced blocks of documents: written, skipped, rejected, and what is odd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from custody.cli.render.table import count
from custody.cli.result import Line, Tone
from custody.model.documents import IngestedDocument
from custody.model.ingest import BlockNote

SHOWN_BLOCKS = 20
_TONES: dict[str, Tone] = {"written": "good", "skipped": "warn", "rejected": "bad"}
_HANG = 10


def ingests(documents: Sequence[IngestedDocument], *, whole: bool = False) -> Iterator[Line]:
    """Return a part of the page for each document; ``whole`` cuts nothing."""
    for document in documents:
        yield Line(f"from {document.doc_path}: {tally(document)}", "strong", hang=2)
        yield from (
            Line(f"  {line.text}", line.tone, _HANG + 2) for line in blocks(document, whole=whole)
        )


def tally(document: IngestedDocument) -> str:
    """Return how many blocks there were of each kind."""
    kinds = [(len(notes), word) for word, notes in _kinds(document)]
    told = ", ".join(f"{number} {word}" for number, word in kinds if number)
    more = f", and {document.more} more" if document.more else ""
    return f"{told or 'no block'}{more}"


def blocks(document: IngestedDocument, *, whole: bool) -> Iterator[Line]:
    """Return a line for each block, those that were not written first."""
    lines = list(_lines(document))
    shown = lines if whole else lines[:SHOWN_BLOCKS]
    yield from shown
    if len(shown) < len(lines):
        yield Line(f"… and {count(len(lines) - len(shown), 'line')} more", "faint")
    if not any(notes for _, notes in _kinds(document)):
        yield Line("no block has the form ```LANG file=PATH", "warn", _HANG)


def _lines(document: IngestedDocument) -> Iterator[Line]:
    for problem in document.problems:
        yield Line(f"failed    {problem}", "bad", _HANG)
    for word, notes in reversed(_kinds(document)):
        yield from (_block(word, note) for note in notes)
    for verdict in document.findings:
        yield Line(f"odd       {verdict.subject}: {verdict.reason}", "warn", _HANG)


def _block(word: str, note: BlockNote) -> Line:
    named = note.file or "a block"
    why = f": {note.detail or note.reason} ({note.reason})" if note.reason else ""
    again = ", in place of what was there" if note.replaced else ""
    return Line(f"{word:<8}  line {note.line}  {named}{why}{again}", _TONES[word], _HANG)


def _kinds(document: IngestedDocument) -> list[tuple[str, tuple[BlockNote, ...]]]:
    return [
        ("written", document.written),
        ("skipped", document.skipped),
        ("rejected", document.rejected),
    ]
