"""Vectors of a server that speaks as OpenAI's ``/v1/embeddings`` does, as most of them do.

Every text that is indexed is sent there, so its address comes from the user's own configuration or
his environment, never from a repository. What comes back is looked at: so many vectors, all as
long, of finite numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from custody.egress.post import post
from custody.errors import FetchFailed, SeekFailed
from custody.model.record import ready
from custody.seek.embedders import Level, Passage, Vector

BATCH = 64
"""Texts in one request."""
LONGEST = 8000
"""Characters of a text; servers refuse what their model cannot read."""
_LIMIT = 64 << 20
"""Bytes of an answer."""
_JSON = "application/json"


class _Row(msgspec.Struct):
    index: int
    embedding: list[float]


class _Said(msgspec.Struct):
    data: list[_Row]


class HttpEmbedder:
    """A model of a server. Raises `SeekFailed` with ``embedder`` when that does not do its part."""

    level: Level = "chunk"

    def __init__(self, url: str, model: str, *, token: str = "") -> None:
        """Ask the server once, so that what is wrong is told now."""
        self._url, self._name, self._token = url, model, token
        self.dimension = 0
        self.dimension = len(self._asked(["dimension"])[0])
        self.model = f"http:{model}:{self.dimension}"

    def embed(self, passages: Sequence[Passage]) -> Sequence[Vector]:
        """Return a vector of length 1 for each passage."""
        texts = [passage.text[:LONGEST] for passage in passages]
        found: list[Vector] = []
        for begin in range(0, len(texts), BATCH):
            found += self._embedded(texts[begin : begin + BATCH])
        return found

    def embed_query(self, passage: Passage) -> Vector:
        """Return the vector of a query."""
        [vector] = self.embed([passage])
        return vector

    def _embedded(self, texts: Sequence[str]) -> Iterator[Vector]:
        """Yield a vector for each text; servers refuse an empty one, which is like nothing."""
        told = [text for text in texts if text.strip()]
        vectors = iter(self._asked(told) if told else ())
        for text in texts:
            yield next(vectors) if text.strip() else [0.0] * self.dimension

    def _asked(self, texts: Sequence[str]) -> list[Vector]:
        body = {"model": self._name, "input": list(texts), "encoding_format": "float"}
        try:
            answer = post(
                self._url,
                json.dumps(body).encode(),
                content_type=_JSON,
                answer_type=_JSON,
                limit=_LIMIT,
                token=self._token,
            )
        except FetchFailed as failed:
            raise self._failed(f"{failed.what} ({failed.code})") from None
        try:
            rows = msgspec.json.decode(answer, type=ready(_Said)).data
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self._failed(f"its answer is none of embeddings: {error}") from None
        return self._checked(rows, len(texts))

    def _checked(self, rows: Sequence[_Row], count: int) -> list[Vector]:
        """Return the vectors in the order of their texts, each of length 1."""
        ordered = sorted(rows, key=lambda row: row.index)
        if [row.index for row in ordered] != [*range(count)]:
            raise self._failed(f"it was given {count} texts, and answers with {len(rows)} vectors")
        lengths = {len(row.embedding) for row in ordered}
        wanted = {self.dimension} if self.dimension else lengths
        if lengths != wanted or len(wanted) != 1 or 0 in lengths:
            raise self._failed(f"its vectors have {_told(lengths)} numbers, not {_told(wanted)}")
        return [self._normal(row.embedding) for row in ordered]

    def _normal(self, vector: Sequence[float]) -> Vector:
        length = math.hypot(*vector)
        if not math.isfinite(length):
            raise self._failed("a vector of it has no length")
        return [number / length for number in vector] if length else list(vector)

    def _failed(self, what: str) -> SeekFailed:
        hint = "see [seek.http] in your own configuration"
        return SeekFailed("embedder", what, where=self._url, hint=hint)


def _told(numbers: Any) -> str:
    return " or ".join(map(str, sorted(numbers))) or "no"
