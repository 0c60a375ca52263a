"""Chunkers: a source's bytes become pieces that can be cited whole.

    chunk_diff      by file and hunk, as `custody.patch` sees them
    chunk_document  by heading
    chunk_code      by the definitions of its language
    chunk_log       by the lines that tell of an error, and what is around them
    chunk_any       by the one of these that fits a name

A piece holds no more than an excerpt may: 25 lines, 2,000 characters. The pieces of a source in
their order are the source, byte for byte: none is lost, none stands twice, and only a line that
alone is too long is cut within. The same bytes always give the same pieces with the same ids.

Each chunker takes a source in the same terms. ``sha256`` may be left out, and is refused when it
is not the content's. ``artifact_uri`` is built when it is left out, and ``evidence_uri`` wins over
it; both must point into the logbook or at a document, at the same sha256.
"""

from __future__ import annotations

from custody.evidence.uri import (
    build_attachment_evidence_uri,
    build_evidence_uri,
    parse_attachment_evidence_uri,
)
from custody.seek.chunkers.choose import chunk_any
from custody.seek.chunkers.code import chunk_code
from custody.seek.chunkers.diff import chunk_diff
from custody.seek.chunkers.document import chunk_document
from custody.seek.chunkers.log import chunk_log
from custody.seek.chunkers.source import generate_attachment_artifact_uri

__all__ = [
    "build_attachment_evidence_uri",
    "build_evidence_uri",
    "chunk_any",
    "chunk_code",
    "chunk_diff",
    "chunk_document",
    "chunk_log",
    "generate_attachment_artifact_uri",
    "parse_attachment_evidence_uri",
]
