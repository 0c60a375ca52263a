"""Vectors as bytes in a table, compared with all of them: by NumPy, in either database.

They are kept in half precision. All of them are read once, and again when the index has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from custody.logbook import Transaction
from custody.seek import settings
from custody.seek.embedders import Vector

if TYPE_CHECKING:
    import numpy as np

_PAGE = 500


class _Loaded(NamedTuple):
    changes: int
    digests: list[str]
    places: dict[str, int]
    matrix: np.ndarray


class ExactVectors:
    """Every vector that the index has; needs NumPy."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._loaded: _Loaded | None = None

    def put(self, transaction: Transaction, rows: Iterable[tuple[str, Vector]]) -> None:
        """Add vectors by digest, in the place of those that are there."""
        import numpy as np

        transaction.many(
            """INSERT INTO seek.vectors VALUES (?, ?)
            ON CONFLICT (digest) DO UPDATE SET data = excluded.data""",
            [
                (bytes.fromhex(digest), np.asarray(vector, dtype="<f2").tobytes())
                for digest, vector in rows
            ],
        )

    def known(self, transaction: Transaction, digests: Sequence[str]) -> set[str]:
        """Return those of some digests that have a vector."""
        found: set[str] = set()
        for begin in range(0, len(digests), _PAGE):
            page = [bytes.fromhex(digest) for digest in digests[begin : begin + _PAGE]]
            marks = ", ".join("?" * len(page))
            statement = f"SELECT digest FROM seek.vectors WHERE digest IN ({marks})"
            found |= {bytes(row[0]).hex() for row in transaction.run(statement, *page)}
        return found

    def drop(self, transaction: Transaction, digests: Sequence[str]) -> None:
        """Remove vectors."""
        rows = [(bytes.fromhex(digest),) for digest in digests]
        transaction.many("DELETE FROM seek.vectors WHERE digest = ?", rows)

    def nearest(
        self, transaction: Transaction, query: Vector, count: int
    ) -> list[tuple[str, float]]:
        """Return the digests of the vectors most like a query, with their cosines."""
        import numpy as np

        loaded = self._all(transaction)
        cosines = loaded.matrix @ np.asarray(query, dtype=np.float32)
        if len(cosines) > count:
            best = np.argpartition(-cosines, count)[:count].tolist()
        else:
            best = list(range(len(cosines)))
        found = [(loaded.digests[place], float(cosines[place])) for place in best]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def likeness(
        self, transaction: Transaction, query: Vector, digests: Sequence[str]
    ) -> dict[str, float]:
        """Return the cosines of some vectors with a query."""
        import numpy as np

        loaded = self._all(transaction)
        known = [digest for digest in digests if digest in loaded.places]
        rows = loaded.matrix[[loaded.places[digest] for digest in known]]
        cosines = rows @ np.asarray(query, dtype=np.float32)
        return dict(zip(known, map(float, cosines), strict=True))

    def _all(self, transaction: Transaction) -> _Loaded:
        import numpy as np

        changes = settings.changes(transaction)
        if self._loaded is None or self._loaded.changes != changes:
            rows = transaction.run("SELECT digest, data FROM seek.vectors ORDER BY digest")
            digests = [bytes(row[0]).hex() for row in rows]
            data = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f2")
            matrix = data.astype(np.float32).reshape(len(digests), self._dimension)
            places = {digest: place for place, digest in enumerate(digests)}
            self._loaded = _Loaded(changes, digests, places, matrix)
        return self._loaded
