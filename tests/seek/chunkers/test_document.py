"""Documents are cut by heading."""

from __future__ import annotations

import hashlib

import pytest

from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_document

TEXT = """intro

# One #

text
```sh
# no heading
```
## Two
    # indented: none
~~~
# none
# either
~~~
#nothing
### *Three*
# Last
"""


def chunks_of(text: str, source_id: str = "docs:a.md") -> list[Chunk]:
    return chunk_document(content=text, source_id=source_id)


def test_a_piece_stands_under_its_headings() -> None:
    assert [(chunk.title, chunk.lines) for chunk in chunks_of(TEXT)] == [
        ("", (1, 2)),
        ("One", (3, 8)),
        ("One > Two", (9, 15)),
        ("One > Two > *Three*", (16, 16)),
        ("Last", (17, 17)),
    ]


def test_a_block_that_does_not_end_holds_the_rest() -> None:
    assert [chunk.title for chunk in chunks_of("# A\n```\n# B\n")] == ["A"]


@pytest.mark.req("E-06", "E-08")
def test_the_uri_is_that_of_the_document() -> None:
    (chunk,) = chunk_document(
        content="# A\n", source_id="contracts:evidence_packet.md", git_commit="c" * 40
    )
    sha256 = hashlib.sha256(b"# A\n").hexdigest()
    assert chunk.artifact_uri == f"memory://docs/contracts/evidence_packet.md/{sha256}"
    assert (chunk.source_type, chunk.kind) == ("docs", "document")
    assert chunk.reference().git_commit == chunk.git_commit == "c" * 40
