"""A source's name tells how it is cut."""

from __future__ import annotations

import hashlib

import pytest

from custody.seek.chunkers import chunk_any


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("a.patch", "diff-1"),
        ("A.DIFF", "diff-1"),
        ("build.log", "log-1"),
        ("a.md", "document-1"),
        ("README", "document-1"),
        ("src/a.py", "code-1-python-"),
    ],
)
def test_a_name_tells_the_chunker(name: str, version: str) -> None:
    sha256 = hashlib.sha256(b"x = 1\n").hexdigest()
    (chunk,) = chunk_any(
        content=b"x = 1\n",
        name=name,
        source_type="logbook",
        source_id="7",
        artifact_uri=f"memory://attachments/7/{sha256}",
    )
    assert chunk.chunking_version.startswith(version)
