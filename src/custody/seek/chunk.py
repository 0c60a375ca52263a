"""A piece of a source with everything that it takes to cite it."""

from __future__ import annotations

from custody.model.record import Record
from custody.model.reference import Reference, Sha256Hex


class Chunk(Record, frozen=True):
    """One piece; all pieces of a source together are the source, and none overlaps another."""

    chunk_id: str
    """``<namespace>:<source_type>:<source_id>:<sha256[:12]>:<version>:<idx>``."""
    idx: int
    """Which piece of its source it is, counted from 0."""
    artifact_uri: str
    """The canonical evidence uri of the whole source."""
    sha256: Sha256Hex
    """Of the whole source."""
    source_id: str
    source_type: str
    kind: str
    """``patch``, ``document``, ``attachment``, ``code``, ``log`` …"""
    title: str
    """What the piece is about in its source: a file of a patch, headings, a symbol."""
    text: str
    """All of its bytes as text; what is no UTF-8 becomes U+FFFD. Only for reading and searching."""
    excerpt: str
    """The beginning of the text, as long as an excerpt may be."""
    bytes: tuple[int, int]
    """Where it begins in the source, and the byte after its end."""
    lines: tuple[int, int]
    """The first and the last line that it touches, counted from one."""
    digest: Sha256Hex
    """Of its bytes."""
    chunking_version: str
    git_commit: str = ""
    """The commit that last changed a document, where git knows one."""

    def reference(self) -> Reference:
        """Return its entry of ``evidence_refs_json``; both ranges are those of the excerpt."""
        begin, line = self.bytes[0], self.lines[0]
        place, lines = self.bytes, self.lines
        if self.excerpt != self.text:
            place = begin, begin + len(self.excerpt.encode())
            lines = line, line + self.excerpt.removesuffix("\n").count("\n")
        return Reference(
            artifact_uri=self.artifact_uri,
            sha256=self.sha256,
            source_id=self.source_id,
            source_type=self.source_type,
            kind=self.kind,
            excerpt=self.excerpt,
            bytes=place,
            lines=lines,
            git_commit=self.git_commit,
        )
