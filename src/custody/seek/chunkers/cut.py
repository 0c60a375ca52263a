"""Sections of a source become chunks, each no longer than an excerpt."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from custody.evidence.excerpt import as_text, longest
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES
from custody.seek.chunk import Chunk
from custody.seek.chunkers.source import Source

TITLE_CHARACTERS = 200


class Section(NamedTuple):
    """A part of a source that is about one thing; it ends where the next one begins."""

    begin: int
    title: str = ""


def chunks_of(source: Source, sections: Iterable[Section], version: str) -> list[Chunk]:
    """Return the pieces of a source; its first section begins with its first byte."""
    found: list[Chunk] = []
    line = 1
    for begin, end, title in _pieces(source.data, sections):
        data = source.data[begin:end]
        text = as_text(data)
        after = line + data.count(b"\n")
        found.append(
            Chunk(
                chunk_id=source.id_of(version, len(found)),
                idx=len(found),
                artifact_uri=source.artifact_uri,
                sha256=source.sha256,
                source_id=source.source_id,
                source_type=source.source_type,
                kind=source.kind,
                title=title[:TITLE_CHARACTERS],
                text=text,
                excerpt=text,
                bytes=(begin, end),
                lines=(line, after - data.endswith(b"\n")),
                digest=hashlib.sha256(data).hexdigest(),
                chunking_version=version,
                git_commit=source.git_commit,
            )
        )
        line = after
    return found


def _pieces(data: bytes, sections: Iterable[Section]) -> Iterator[tuple[int, int, str]]:
    ordered = [*sections, Section(len(data))]
    for section, after in pairwise(ordered):
        begin = section.begin
        for end in _ends(data, begin, after.begin):
            yield begin, end, section.title
            begin = end


def _ends(data: bytes, begin: int, end: int) -> Iterator[int]:
    """Yield where the pieces of a section end: about as many lines in each."""
    if begin == end:
        return
    lines = data.count(b"\n", begin, end - 1) + 1
    if lines <= EXCERPT_LINES and end - begin <= EXCERPT_CHARACTERS:
        yield end
        return
    pieces = -(-lines // EXCERPT_LINES)
    share = -(-lines // pieces)
    while begin < end:
        begin = min(longest(data, begin, end), _after_lines(data, begin, end, share))
        yield begin


def _after_lines(data: bytes, begin: int, end: int, lines: int) -> int:
    """Return where some lines end, counted from a byte on."""
    for _ in range(lines):
        begin = data.find(b"\n", begin, end) + 1
        if not begin:
            return end
    return begin
