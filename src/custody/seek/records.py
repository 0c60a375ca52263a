"""What goes into an index and what comes out of it, as records."""

from __future__ import annotations

from custody.model.record import Record
from custody.seek.chunk import Chunk


class Cut(Record, frozen=True):
    """A source with its pieces, as it goes into an index."""

    artifact_uri: str
    sha256: str
    source_id: str
    source_type: str
    kind: str
    chunks: tuple[Chunk, ...]
    root: str = ""
    """The folder that a document's uri is looked up below; empty for what the logbook points at."""
    git_commit: str = ""


class Found(Record, frozen=True):
    """A piece that a search found: where it is, not yet what stands there."""

    chunk_id: str
    artifact_uri: str
    sha256: str
    source_id: str
    source_type: str
    kind: str
    title: str
    bytes: tuple[int, int]
    lines: tuple[int, int]
    digest: str
    """Of its bytes."""
    git_commit: str
    score: float
    """For comparing the hits of one search; the best possible is the sum of the weights."""
    legs: dict[str, float]
    """What each leg said of its source, before weights."""


class Weights(Record, frozen=True):
    """How much each leg of a search has to say."""

    source: float = 1.0
    """Words of the whole source."""
    chunk: float = 0.7
    """Words of its best piece."""
    vectors: float = 0.7
    """Likeness of vectors; 0 switches the leg off."""
    why: str = "as the release sets them"
    """Who chose them: the release, or a measurement on the repository's own history."""


class Query(Record, frozen=True):
    """What is sought."""

    text: str
    count: int = 10
    """Hits at most."""
    each: int = 1
    """Hits of one source at most."""
    root: str | None = ""
    """Where documents are looked up; those of other roots are left out. None takes them all."""
    kinds: tuple[str, ...] = ()
    """Kinds of sources (``patch``, ``attachment``, ``document`` …); none for all."""
    words_only: bool = False
    """Whether vectors are left out: what comes then follows from the contents alone."""
    weights: Weights | None = None
    """In the place of those that the index keeps."""


class SearchAnswer(Record, frozen=True):
    """What a search found, and what it could not do."""

    hits: tuple[Found, ...]
    legs: tuple[str, ...]
    """The legs that took part."""
    notes: tuple[str, ...]
    """What was left out, and why."""


class Stats(Record, frozen=True):
    """What an index holds."""

    sources: int
    chunks: int
    terms: int
    vectors: int
    unresolved: int
    roots: tuple[str, ...]
    """Where its documents lie."""
