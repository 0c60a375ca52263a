"""Of every chunker holds: nothing is lost, nothing stands twice, every piece can be cited."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.evidence import Content
from custody.evidence.check import check
from custody.evidence.excerpt import stands_at
from custody.evidence.uri import EvidenceUri
from custody.model.record import decode, encode
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES, Reference
from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_any, chunk_diff, generate_attachment_artifact_uri
from support.patches import Tree, changed_trees, written

WORDS = (
    b"# Heading\n", b"## Other\n", b"```\n", b"~~~py\n", b"text\n", b"\n", b"\r\n", b"\xff\xfe",
    b"ERROR: it failed\n", b"0 errors\n", b"x" * 700, "é😀".encode() * 300, b"def f():\n",
    b"    pass\n",
    b"class A:\n", b"@decorated\n", b"diff --git a/x b/x\n", b"--- a/x\n+++ b/x\n",
    b"@@ -1 +1 @@\n",
    b"-a\n", b"+b\n", b"\0", b"\n" * 30, b"\xe2\x80\xa8",
)  # fmt: skip
SOURCES = st.lists(st.sampled_from(WORDS), max_size=30).map(b"".join) | st.binary(max_size=300)
NAMES = ("a.diff", "a.md", "a.log", "a.py", "a.ts", "a", "Makefile")


class Held:
    """Has the one content."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def resolve(self, uri: EvidenceUri) -> Content:
        assert uri.text.startswith("memory://")
        return Content.of(self.data)


def chunks_of(data: bytes, name: str) -> list[Chunk]:
    sha256 = hashlib.sha256(data).hexdigest()
    uri = generate_attachment_artifact_uri(attachment_id=1, sha256=sha256)
    return chunk_any(
        content=data,
        name=name,
        source_type="logbook",
        source_id="1:abc",
        sha256=sha256,
        artifact_uri=uri,
    )


@pytest.mark.req("E-08", "E-09")
@given(data=SOURCES, name=st.sampled_from(NAMES))
def test_the_pieces_are_the_source(data: bytes, name: str) -> None:
    chunks = chunks_of(data, name)
    assert b"".join(data[slice(*chunk.bytes)] for chunk in chunks) == data
    assert [chunk.idx for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    end, line = 0, 1
    for chunk in chunks:
        piece = data[slice(*chunk.bytes)]
        assert chunk.bytes[0] == end
        assert chunk.lines[0] == line
        assert 0 < len(chunk.text) <= EXCERPT_CHARACTERS
        assert piece.removesuffix(b"\n").count(b"\n") < EXCERPT_LINES
        assert stands_at(data, chunk.excerpt, chunk.bytes)
        assert chunk.digest == hashlib.sha256(piece).hexdigest()
        end, line = chunk.bytes[1], line + piece.count(b"\n")
    assert chunks == chunks_of(data, name)


@pytest.mark.req("E-08", "E-09")
@given(data=SOURCES, name=st.sampled_from(NAMES))
def test_every_piece_can_be_checked_as_it_is(data: bytes, name: str) -> None:
    for chunk in chunks_of(data, name):
        reference = decode(encode(chunk.reference()), Reference, where="entry")
        found = check(reference, Held(data))
        assert (found.state, found.bytes, found.lines) == ("exact", chunk.bytes, chunk.lines)


@pytest.mark.req("E-08")
@given(changed_trees())
def test_the_pieces_of_a_diff_are_the_diff(trees: tuple[Tree, Tree]) -> None:
    data = written(*trees)
    chunks = chunk_diff(content=data, source_type="git", source_id="1:abc")
    assert b"".join(data[slice(*chunk.bytes)] for chunk in chunks) == data


def test_a_long_line_is_cut_between_characters() -> None:
    chunks = chunks_of("😀".encode() * 5000, "a.md")
    assert [len(chunk.text) for chunk in chunks] == [2000, 2000, 1000]
    assert all("\ufffd" not in chunk.text for chunk in chunks)
