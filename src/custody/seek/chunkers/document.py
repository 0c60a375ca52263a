"""Documents, by heading."""

from __future__ import annotations

from collections.abc import Iterator

from custody.evidence.excerpt import as_text
from custody.evidence.source import DOCS, path_of_document
from custody.evidence.uri import build_docs_evidence_uri
from custody.ingest.fences import parse_fences
from custody.patterns import later
from custody.seek.chunk import Chunk
from custody.seek.chunkers.cut import Section, chunks_of
from custody.seek.chunkers.source import NAMESPACE, Source, canonical, checked_content

VERSION = "document-1"
_HEADING = later(rb"(?m)^ {0,3}(#{1,6})(?:[ \t]+([^\n]*))?\r?$")
_CLOSING = later(rb"(?:^|[ \t]+)#+[ \t\r]*$")


def chunk_document(
    *,
    content: bytes | str,
    source_id: str,
    source_type: str = DOCS,
    sha256: str = "",
    artifact_uri: str = "",
    evidence_uri: str = "",
    namespace: str = NAMESPACE,
    kind: str = "document",
    git_commit: str = "",
) -> list[Chunk]:
    """Return the pieces of a document in Markdown, titled by the headings that they stand under.

    A document's uri follows from its ``source_id``, see `custody.evidence.source`. Raises `Refused`
    and `UriRefused`.
    """
    found = checked_content(content, sha256, where=source_id)
    given = evidence_uri or artifact_uri
    built = canonical(given, found.sha256) if given else ""
    source = Source(
        data=found.data,
        sha256=found.sha256,
        artifact_uri=built or build_docs_evidence_uri(path_of_document(source_id), found.sha256),
        source_type=source_type,
        source_id=source_id,
        kind=kind,
        namespace=namespace,
        git_commit=git_commit,
    )
    return chunks_of(source, _sections(found.data), VERSION)


def _sections(data: bytes) -> Iterator[Section]:
    above: list[tuple[int, str]] = []
    yield Section(0)
    for begin, level, text in _headings(data):
        above = [*(heading for heading in above if heading[0] < level), (level, text)]
        yield Section(begin, " > ".join(title for _, title in above if title))


def _headings(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield where each heading begins, its level and its text; none of them lies in a block."""
    blocks = parse_fences(data)
    block_ends = 0
    block = next(blocks, None)
    for found in _HEADING.finditer(data):
        while block is not None and block.start < found.start():
            block_ends = max(block_ends, block.end if block.marks else 0)
            block = next(blocks, None)
        if found.start() >= block_ends:
            text = _CLOSING.sub(b"", found[2] or b"")
            yield found.start(), len(found[1]), as_text(text.strip())
