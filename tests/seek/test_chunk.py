from __future__ import annotations

import pytest

from custody.model.record import decode, encode
from custody.model.reference import Reference
from custody.seek.chunk import Chunk

SHA256 = "e3" * 32
URI = f"memory://patch_blobs/git/1:abc123/{SHA256}"


@pytest.mark.req("E-09")
def test_a_chunk_is_an_entry_of_evidence_refs_json_as_it_is() -> None:
    chunk = Chunk(
        chunk_id=f"custody:git:1:abc123:{SHA256[:12]}:diff-1:0",
        idx=0,
        artifact_uri=URI,
        sha256=SHA256,
        source_id="1:abc123",
        source_type="git",
        kind="patch",
        title="a.py",
        text="one\ntwo é\nthree\n",
        excerpt="one\ntwo é\n",
        bytes=(10, 27),
        lines=(3, 5),
        digest="a0" * 32,
        chunking_version="diff-1",
    )
    entry = decode(encode(chunk.reference()), Reference, where="entry")
    assert entry == chunk.reference()
    assert (entry.artifact_uri, entry.sha256, entry.excerpt) == (URI, SHA256, "one\ntwo é\n")
    assert entry.bytes == (10, 21)
    assert entry.lines == (3, 4)
