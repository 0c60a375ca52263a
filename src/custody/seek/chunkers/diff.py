"""Diffs, by file and hunk."""

from __future__ import annotations

from collections.abc import Iterator

from custody.evidence.excerpt import as_text
from custody.evidence.uri import build_evidence_uri
from custody.patch.outline import Part, outline
from custody.seek.chunk import Chunk
from custody.seek.chunkers.cut import Section, chunks_of
from custody.seek.chunkers.source import NAMESPACE, Source, canonical, checked_content

VERSION = "diff-1"


def chunk_diff(
    *,
    content: bytes | str,
    source_type: str,
    source_id: str,
    sha256: str = "",
    artifact_uri: str = "",
    evidence_uri: str = "",
    namespace: str = NAMESPACE,
    kind: str = "patch",
) -> list[Chunk]:
    """Return the pieces of a diff: the head of a file with its first hunk, and each further hunk.

    Their titles name the file and what git tells of the place in it. What is no diff is cut by
    lines. Raises `Refused` and `UriRefused`.
    """
    found = checked_content(content, sha256, where=source_id)
    given = evidence_uri or artifact_uri
    built = canonical(given, found.sha256) if given else ""
    source = Source(
        data=found.data,
        sha256=found.sha256,
        artifact_uri=built or build_evidence_uri(source_type, source_id, found.sha256),
        source_type=source_type,
        source_id=source_id,
        kind=kind,
        namespace=namespace,
    )
    return chunks_of(source, _sections(found.data), VERSION)


def _sections(data: bytes) -> Iterator[Section]:
    """Yield a section for each file with its first hunk, and for each hunk after that."""
    file: Part | None = None
    for part in outline(data):
        if file is not None and part.hunk:
            yield Section(file.begin, _title(part))
            file = None
            continue
        if file is not None:
            yield Section(file.begin, _title(file))
        file = None if part.hunk else part
        if part.hunk:
            yield Section(part.begin, _title(part))
    if file is not None:
        yield Section(file.begin, _title(file))


def _title(part: Part) -> str:
    return as_text(b"%s: %s" % (part.path, part.heading) if part.heading else part.path)
