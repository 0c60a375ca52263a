"""Embedders: texts become vectors, and what is alike lies in the same direction.

    lsa        fitted on the index itself: which words go with which (needs NumPy)
    http       of a server that speaks as OpenAI does
    sentence   of a small model that carries its weights (the extra `sentence`)
    choose     which one the user has set up

Any other is a module beside these that gives an `Embedder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

Level = Literal["source", "chunk"]
Vector = Sequence[float]
"""An array of NumPy's as well."""


class Passage(NamedTuple):
    """A text that is embedded: a source, a piece, or a query."""

    text: str
    """As it is; for a source, its pieces one after the other."""
    words: Mapping[str, int]
    """How often it has each of its words (`custody.seek.tokens`)."""


class Embedder(Protocol):
    """What makes vectors of one model."""

    model: str
    """Its id with its version: part of an index's stamp."""
    dimension: int
    level: Level
    """Whether each source has a vector, or each piece."""

    def embed(self, passages: Sequence[Passage]) -> Sequence[Vector]:
        """Return a vector of length 1 for each passage; one of zeros is like nothing."""

    def embed_query(self, passage: Passage) -> Vector:
        """Return the vector of a query."""
