"""Vectors of a small sentence model that carries its weights: wordllama, the extra ``sentence``.

Nothing is fetched: its loader looks for the weights in its own package, where they are, and is
told not to go on to a server. On diffs it finds less than `lsa`, which knows the words of the
repository (decision 0065); it is there for prose.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from custody.errors import SeekFailed
from custody.seek.embedders import Level, Passage, Vector

NAME = "wordllama"
_CONFIG = "l2_supercat"
DIMENSION = 256


class SentenceEmbedder:
    """The model; it is read when it is made, which takes most of a second."""

    level: Level = "chunk"
    dimension = DIMENSION

    def __init__(self) -> None:
        """Raise `SeekFailed` with ``embedder`` where the package is missing or without weights."""
        self._model, version = _loaded()
        self.model = f"{NAME}:{_CONFIG}:{DIMENSION}:{version}"

    def embed(self, passages: Sequence[Passage]) -> Sequence[Vector]:
        """Return a vector of length 1 for each passage; one of zeros for a text without words."""
        if not passages:
            return []
        texts = [passage.text for passage in passages]
        found: Sequence[Vector] = self._model.embed(texts, norm=True)
        return [
            vector if text.strip() else [0.0] * DIMENSION
            for text, vector in zip(texts, found, strict=True)
        ]

    def embed_query(self, passage: Passage) -> Vector:
        """Return the vector of a query."""
        [vector] = self.embed([passage])
        return vector


def _loaded() -> tuple[Any, str]:
    hint = "pip install 'custody-runtime[sentence]'"
    try:
        import wordllama
    except ImportError:
        what = f"the embedder {NAME!r} needs the package wordllama"
        raise SeekFailed("embedder", what, hint=hint) from None
    from importlib.metadata import version

    place = os.path.dirname(os.path.abspath(wordllama.__file__))
    try:
        model = wordllama.WordLlama.load(
            _CONFIG, cache_dir=place, dim=DIMENSION, disable_download=True
        )
    except FileNotFoundError as error:
        raise SeekFailed("embedder", str(error), where=place, hint=hint) from None
    return model, version(NAME)
