"""Latent semantic analysis: which words go with which, learnt from the index itself.

A source is the sum of its words' directions, and words that appear in the same sources have
directions that are alike. They are the strongest singular vectors of the table of words by sources,
found by a random projection that is refined twice (Halko, Martinsson, Tropp 2011), with NumPy
alone. No query is seen, nothing is downloaded, and the seed is fixed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from custody.logbook import Database
from custody.seek.embedders import Level, Passage, Vector

if TYPE_CHECKING:
    import numpy as np

DIMENSION = 256
MODEL = f"lsa-1-{DIMENSION}"
_OVERSAMPLING = 16
_ROUNDS = 2
_BLOCK = 1 << 12
"""Entries of the table that are multiplied at once: what comes between stays in the caches."""
_SEED = 64
_NOTHING = 1e-9
"""A share of the strongest direction below which there is none."""


class WordTable(NamedTuple):
    """How often sources have words, as the three columns of its entries."""

    sources: np.ndarray
    """The source of each entry, rising."""
    words: np.ndarray
    times: np.ndarray
    shape: tuple[int, int]
    """How many sources and words there are."""


class Fitted(NamedTuple):
    """What came of fitting."""

    basis: np.ndarray
    """The direction of each word, times how much the word tells."""
    vectors: np.ndarray
    """Of each source, of length 1."""


class Lsa:
    """Embeds words by what was fitted on the index, see `custody.seek.fit`."""

    model = MODEL
    dimension = DIMENSION
    level: Level = "source"

    def __init__(self, database: Database) -> None:
        """Take the index's own database; nothing is read before a passage comes."""
        self._database = database

    def embed(self, passages: Sequence[Passage]) -> Sequence[Vector]:
        """Return the vectors of passages by their words; their texts are not looked at."""
        import numpy as np

        known = self._directions(sorted({word for one in passages for word in one.words}))
        found = np.zeros((len(passages), DIMENSION), dtype=np.float32)
        for place, passage in enumerate(passages):
            for word in sorted(passage.words.keys() & known.keys()):
                found[place] += (1 + math.log(passage.words[word])) * known[word]
        return list(_normal(found))

    def embed_query(self, passage: Passage) -> Vector:
        """Return the vector of a query."""
        [vector] = self.embed([passage])
        return vector

    def _directions(self, words: Sequence[str]) -> Mapping[str, np.ndarray]:
        import numpy as np

        found: dict[str, np.ndarray] = {}
        with self._database.reading() as transaction:
            for begin in range(0, len(words), 500):
                page = words[begin : begin + 500]
                marks = ", ".join("?" * len(page))
                statement = f"SELECT term, data FROM seek.basis WHERE term IN ({marks})"
                for term, data in transaction.run(statement, *page):
                    found[term] = np.frombuffer(data, dtype="<f2").astype(np.float32)
        return found


def fit(table: WordTable, sample: Sequence[int] | None = None) -> Fitted:
    """Return the directions of the words and of all sources.

    With ``sample`` the directions are learnt from these sources alone.
    """
    import numpy as np

    all_sources, all_words = table.shape
    having = np.bincount(table.words, minlength=all_words)
    tells = np.log((all_sources + 1) / (having + 1)).astype(np.float32) + 1
    weighted = (1 + np.log(table.times.astype(np.float32))) * tells[table.words]
    lengths = np.sqrt(np.bincount(table.sources, weights=weighted**2, minlength=all_sources))
    whole = _Sparse(
        table.sources, table.words, weighted / np.maximum(lengths, 1e-9)[table.sources], table.shape
    )
    learnt = whole if sample is None else whole.only(sample)
    basis = _directions(learnt)
    return Fitted(basis * tells[:, None], _normal(whole.times(basis)))


class _Sparse:
    """A matrix of few entries."""

    def __init__(self, rows: Any, columns: Any, values: Any, shape: tuple[int, int]) -> None:
        """Take the entries with their rows rising."""
        import numpy as np

        self._rows, self._columns = rows, columns
        self._values = values.astype(np.float32)
        self.shape = shape

    def turned(self) -> _Sparse:
        """Return the transposed matrix."""
        import numpy as np

        order = np.argsort(self._columns, kind="stable")
        return _Sparse(
            self._columns[order],
            self._rows[order],
            self._values[order],
            (self.shape[1], self.shape[0]),
        )

    def only(self, rows: Sequence[int]) -> _Sparse:
        """Return the matrix of some rows, the others being empty."""
        import numpy as np

        wanted = np.zeros(self.shape[0], dtype=bool)
        wanted[list(rows)] = True
        kept = wanted[self._rows]
        return _Sparse(self._rows[kept], self._columns[kept], self._values[kept], self.shape)

    def times(self, dense: np.ndarray) -> np.ndarray:
        """Return the product with a dense matrix, block by block."""
        import numpy as np

        found = np.zeros((self.shape[0], dense.shape[1]), dtype=np.float32)
        starts = np.flatnonzero(np.diff(self._rows, prepend=-1))
        for begin, end in _blocks(starts, len(self._rows)):
            part = starts[begin:end]
            first = part[0]
            last = starts[end] if end < len(starts) else len(self._rows)
            entries = dense[self._columns[first:last]] * self._values[first:last, None]
            found[self._rows[part]] = np.add.reduceat(entries, part - first, axis=0)
        return found


def _blocks(starts: np.ndarray, entries: int) -> list[tuple[int, int]]:
    """Return stretches of rows that have about `_BLOCK` entries each."""
    import numpy as np

    if not len(starts):
        return []
    cuts = np.searchsorted(starts, np.arange(0, entries, _BLOCK))
    edges = sorted({0, *map(int, cuts), len(starts)})
    return [(begin, end) for begin, end in pairwise(edges) if begin < end]


def _directions(matrix: _Sparse) -> np.ndarray:
    """Return the strongest right singular vectors, padded with zeros up to `DIMENSION`."""
    import numpy as np

    turned = matrix.turned()
    size = min(DIMENSION + _OVERSAMPLING, *matrix.shape)
    start = np.random.default_rng(_SEED).standard_normal((matrix.shape[1], size), dtype=np.float32)
    within = _orthogonal(matrix.times(start))
    for _ in range(_ROUNDS):
        within = _orthogonal(matrix.times(_orthogonal(turned.times(within), times=1)))
    small = turned.times(within)  # words by size: the matrix as it is seen within
    strengths, mixing = np.linalg.eigh(small.T @ small)
    strongest = np.argsort(-strengths)[:DIMENSION]
    scale = np.sqrt(np.maximum(strengths[strongest], 1e-12))
    found = (small @ mixing[:, strongest]) / scale
    found[:, strengths[strongest] < 1e-6 * strengths.max()] = 0
    return np.pad(found, ((0, 0), (0, DIMENSION - found.shape[1]))).astype(np.float32)


def _orthogonal(matrix: np.ndarray, *, times: int = 2) -> np.ndarray:
    """Return an orthogonal basis of what the columns span, by their products with each other.

    That is many times quicker than a QR decomposition of a tall matrix. Done twice, it is as exact
    as the numbers are; once is enough on the way.
    """
    import numpy as np

    for _ in range(times):
        wide = matrix.astype(np.float64)
        products = wide.T @ wide
        strengths, mixing = np.linalg.eigh(products)
        kept = strengths > _NOTHING * max(strengths.max(initial=0.0), _NOTHING)
        matrix = matrix @ (mixing[:, kept] / np.sqrt(strengths[kept])).astype(np.float32)
    return matrix


def _normal(rows: np.ndarray) -> np.ndarray:
    """Return rows of length 1; those of zeros stay."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: np.ndarray = rows / np.where(lengths > 0, lengths, 1)
    return found
