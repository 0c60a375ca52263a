"""Vectors in PostgreSQL with pgvector: the nearest by a graph, the likeness of some exactly.

The bytes stand in ``seek.vectors`` as they do elsewhere; beside them stands what pgvector searches,
and goes when they go. So a server without pgvector, or one that loses it, compares with all of them
(`custody.seek.exact_vectors`) and finds the same or more.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from custody.errors import LogbookFailed
from custody.logbook import Database, Transaction
from custody.logbook.migrations import migrate
from custody.seek.embedders import Vector
from custody.seek.exact_vectors import ExactVectors
from custody.seek.tables import SEEK
from custody.seek.vectors import Vectors

EXACT = "vectors are compared one by one: the server has no pgvector"
REACH = 400
"""How far the graph is walked; pgvector's own 40 finds fewer than are asked for."""
HALF = 2
"""Bytes of a number."""
_SINCE = (0, 7)
"""The release of pgvector that brought vectors in half precision."""
_PAGE = 500
_LOCK = "custody pgvector"
_MOST = 4000
"""Numbers of a vector at most that pgvector keeps in half precision in a graph."""


def vectors_of(database: Database, dimension: int) -> tuple[Vectors, str]:
    """Return where the vectors of a database are, and what has to be said about it."""
    if database.dialect == "sqlite":
        return ExactVectors(dimension), ""
    if dimension > _MOST or not _prepared(database, dimension):
        return ExactVectors(dimension), EXACT
    return PgVectors(dimension), ""


class PgVectors(ExactVectors):
    """The same, with an index of its server's."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self._table = _table(dimension)

    def put(self, transaction: Transaction, rows: Iterable[tuple[str, Vector]]) -> None:
        """Add vectors by digest, in the place of those that are there."""
        given = [(bytes.fromhex(digest), vector) for digest, vector in rows]
        transaction.many(
            """INSERT INTO seek.vectors VALUES (?, ?)
            ON CONFLICT (digest) DO UPDATE SET data = excluded.data""",
            [(digest, struct.pack(f"<{len(vector)}e", *vector)) for digest, vector in given],
        )
        transaction.many(
            f"""INSERT INTO {self._table} VALUES (?, CAST(? AS halfvec))
            ON CONFLICT (digest) DO UPDATE SET v = excluded.v""",
            [(digest, _text(vector)) for digest, vector in given],
        )

    def nearest(
        self, transaction: Transaction, query: Vector, count: int
    ) -> list[tuple[str, float]]:
        """Return the digests of the vectors most like a query, with their cosines."""
        transaction.run(f"SELECT set_config('hnsw.ef_search', '{REACH}', true)")
        asked = _text(query)
        rows = transaction.run(
            f"""SELECT digest, v <=> CAST(? AS halfvec) AS far FROM {self._table}
            ORDER BY far LIMIT ?""",
            asked,
            count,
        )
        return _found(rows)

    def likeness(
        self, transaction: Transaction, query: Vector, digests: Sequence[str]
    ) -> dict[str, float]:
        """Return the cosines of some vectors with a query."""
        asked = _text(query)
        found: dict[str, float] = {}
        for begin in range(0, len(digests), _PAGE):
            page = [bytes.fromhex(digest) for digest in digests[begin : begin + _PAGE]]
            rows = transaction.run(
                f"""SELECT digest, v <=> CAST(? AS halfvec) FROM {self._table}
                WHERE digest IN ({", ".join("?" * len(page))})""",
                asked,
                *page,
            )
            found |= dict(_found(rows))
        return found


def _prepared(database: Database, dimension: int) -> bool:
    """Make what is missing; tell whether pgvector is there to be used."""
    migrate(database, SEEK)
    table = _table(dimension)
    with database.reading() as transaction:
        if not _offered(transaction):
            return False
        if _is_there(transaction, table):
            return True
    try:
        database.repeat(lambda transaction: _make(transaction, table, dimension))
    except LogbookFailed as failed:
        if failed.code != "denied":
            raise
        return False
    return True


def _offered(transaction: Transaction) -> bool:
    """Whether the server has a pgvector that knows vectors in half precision."""
    rows = transaction.run(
        """SELECT coalesce(installed_version, default_version) FROM pg_available_extensions
        WHERE name = 'vector'"""
    )
    return bool(rows) and _release(rows[0][0]) >= _SINCE


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _is_there(transaction: Transaction, table: str) -> bool:
    return bool(transaction.run("SELECT 1 WHERE to_regclass(?) IS NOT NULL", table))


def _make(transaction: Transaction, table: str, dimension: int) -> None:
    transaction.lock(_LOCK)
    if _is_there(transaction, table):
        return
    transaction.run("CREATE EXTENSION IF NOT EXISTS vector")
    transaction.run(
        f"""CREATE TABLE {table} (
            digest BYTEA PRIMARY KEY REFERENCES seek.vectors (digest) ON DELETE CASCADE,
            v halfvec({dimension}) NOT NULL
        )"""
    )
    transaction.run(f"CREATE INDEX ON {table} USING hnsw (v halfvec_cosine_ops)")
    _copy(transaction, table, dimension)


def _copy(transaction: Transaction, table: str, dimension: int) -> None:
    """Take over vectors that were there before pgvector was."""
    after = b""
    size = dimension * HALF
    while True:
        rows = transaction.run(
            """SELECT digest, data FROM seek.vectors
            WHERE digest > ? AND length(data) = ? ORDER BY digest LIMIT ?""",
            after,
            size,
            _PAGE,
        )
        if not rows:
            return
        transaction.many(
            f"INSERT INTO {table} VALUES (?, CAST(? AS halfvec))",
            [(row[0], _text(struct.unpack(f"<{dimension}e", row[1]))) for row in rows],
        )
        after = rows[-1][0]


def _table(dimension: int) -> str:
    return f"seek.vectors_{dimension}"


def _text(vector: Vector) -> str:
    return f"[{','.join(f'{float(number):.6g}' for number in vector)}]"


def _found(rows: Sequence[tuple[Any, ...]]) -> list[tuple[str, float]]:
    """Return cosines; a vector of zeros is like nothing."""
    pairs = ((bytes(digest).hex(), 0.0 if math.isnan(far) else 1.0 - far) for digest, far in rows)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
