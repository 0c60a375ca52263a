"""The chunker that fits what a source is called."""

from __future__ import annotations

from custody.seek.chunk import Chunk
from custody.seek.chunkers.code import chunk_code, language_of
from custody.seek.chunkers.diff import chunk_diff
from custody.seek.chunkers.document import chunk_document
from custody.seek.chunkers.log import chunk_log

_DIFFS = ("diff", "patch")
_LOGS = ("err", "log", "out")


def chunk_any(
    *,
    content: bytes | str,
    name: str,
    source_type: str,
    source_id: str,
    artifact_uri: str,
    sha256: str = "",
) -> list[Chunk]:
    """Return the pieces of a source: a diff, a log, code, and a document for any other name.

    Raises `Refused` and `UriRefused`.
    """
    ending = name.rpartition("/")[2].rpartition(".")[2].lower()
    if language_of(name):
        return chunk_code(
            content=content,
            path=name,
            source_type=source_type,
            source_id=source_id,
            sha256=sha256,
            artifact_uri=artifact_uri,
        )
    chunker = chunk_diff if ending in _DIFFS else chunk_log if ending in _LOGS else chunk_document
    return chunker(
        content=content,
        source_type=source_type,
        source_id=source_id,
        sha256=sha256,
        artifact_uri=artifact_uri,
    )
