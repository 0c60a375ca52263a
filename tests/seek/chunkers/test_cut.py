"""Sections are cut into pieces of about the same length."""

from __future__ import annotations

from custody.seek.chunkers.cut import Section, chunks_of
from custody.seek.chunkers.source import Source


def cut(data: bytes, *begins: int) -> list[tuple[int, int]]:
    source = Source(
        data=data, sha256="0" * 64, artifact_uri="", source_type="t", source_id="i", kind="k"
    )
    sections = [Section(begin, "t" * 300) for begin in begins]
    chunks = chunks_of(source, sections, "v-1")
    assert all(len(chunk.title) == 200 for chunk in chunks)
    return [chunk.bytes for chunk in chunks]


def test_lines_are_shared_out() -> None:
    assert cut(b"a\n" * 26, 0) == [(0, 26), (26, 52)]
    assert cut(b"a\n" * 25, 0) == [(0, 50)]
    assert cut(b"a\n" * 24 + b"a", 0) == [(0, 49)]
    assert cut(b"a\n" * 25 + b"a", 0) == [(0, 26), (26, 51)]


def test_a_section_is_never_joined_to_another() -> None:
    assert cut(b"abcdef", 0, 2, 2, 6) == [(0, 2), (2, 6)]
    assert cut(b"", 0) == []


def test_long_lines_take_pieces_of_their_own() -> None:
    data = b"a" * 1500 + b"\n" + b"b" * 1500 + b"\n" + b"c" * 4100
    assert cut(data, 0) == [(0, 1501), (1501, 3002), (3002, 5002), (5002, 7002), (7002, 7102)]
