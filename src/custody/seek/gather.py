"""What there is to index: the bytes of a source are had by its uri, and cut into pieces."""

from __future__ import annotations

from typing import NamedTuple

from custody.errors import Refused, ResolveFailed, UriRefused
from custody.evidence import Content, Resolver
from custody.evidence.check import exact_content
from custody.evidence.source import DOCS, source_id_of_document
from custody.evidence.uri import build_docs_evidence_uri
from custody.logbook.records import Listed
from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_any, chunk_diff
from custody.seek.records import Cut

LONGEST = 8 << 20
"""Bytes of a source that is indexed."""
_LOOKED_AT = 8000
"""Bytes among which a NUL says that this is no text, as git has it."""


class Unresolved(NamedTuple):
    """A source that is not in the index, and why."""

    root: str
    artifact_uri: str
    code: str
    reason: str


def cut_pointer(listed: Listed, resolver: Resolver) -> Cut | Unresolved:
    """Return a patch or an attachment of the logbook in pieces."""
    uri = listed.evidence_uri
    try:
        content = exact_content(uri, resolver)
        if (wrong := _no_text(content)) is not None:
            return Unresolved("", uri, *wrong)
        chunks = _chunks(listed, content)
    except (ResolveFailed, UriRefused, Refused) as failed:
        return Unresolved("", uri, failed.code, failed.what)
    return Cut(
        artifact_uri=uri,
        sha256=content.sha256,
        source_id=listed.source_id,
        source_type=listed.source_type,
        kind=listed.kind,
        chunks=tuple(chunks),
    )


def _chunks(listed: Listed, content: Content) -> list[Chunk]:
    if listed.kind == "patch":
        return chunk_diff(
            content=content.data,
            source_type=listed.source_type,
            source_id=listed.source_id,
            evidence_uri=listed.evidence_uri,
        )
    return chunk_any(
        content=content.data,
        name=str(listed.meta.get("name", "")),
        source_type=listed.source_type,
        source_id=listed.source_id,
        artifact_uri=listed.evidence_uri,
    )


def cut_document(root: str, path: str, content: Content, git_commit: str) -> Cut | Unresolved:
    """Return a document below a root in pieces."""
    uri = build_docs_evidence_uri(path, content.sha256)
    if (wrong := _no_text(content)) is not None:
        return Unresolved(root, uri, *wrong)
    source_id = source_id_of_document(path)
    chunks = chunk_any(
        content=content.data,
        name=path,
        source_type=DOCS,
        source_id=source_id,
        artifact_uri=uri,
    )
    return Cut(
        artifact_uri=uri,
        sha256=content.sha256,
        source_id=source_id,
        source_type=DOCS,
        kind=chunks[0].kind if chunks else "document",
        chunks=tuple(chunks),
        root=root,
        git_commit=git_commit,
    )


def _no_text(content: Content) -> tuple[str, str] | None:
    """Return why a content is not indexed; None where it is."""
    if b"\0" in content.data[:_LOOKED_AT]:
        return "no_text", "it is no text"
    if len(content.data) > LONGEST:
        return "too_large", f"it has {len(content.data)} bytes; {LONGEST} are indexed at most"
    return None
