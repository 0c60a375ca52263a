"""Vectors in either database: the same is found, and what is missing on a server is said."""

from __future__ import annotations

import random
from collections.abc import Iterator

import psycopg
import pytest

from custody.logbook import Database
from custody.logbook.address import open_database
from custody.logbook.migrations import migrate
from custody.seek import settings
from custody.seek.exact_vectors import ExactVectors
from custody.seek.pg_vectors import EXACT, PgVectors, vectors_of
from custody.seek.tables import SEEK
from custody.seek.vectors import Vectors

pytestmark = pytest.mark.req("E-10")
A, B, C, D = (letter * 64 for letter in "abcd")


@pytest.fixture
def vectors(opened: Database) -> Vectors:
    migrate(opened, SEEK)
    return vectors_of(opened, 2)[0]


def put(opened: Database, vectors: Vectors, rows: dict[str, list[float]]) -> None:
    with opened.writing() as transaction:
        vectors.put(transaction, rows.items())
        settings.changed(transaction)


def nearest(opened: Database, vectors: Vectors, query: list[float], count: int) -> list[str]:
    with opened.reading() as transaction:
        return [digest for digest, _ in vectors.nearest(transaction, query, count)]


def test_a_server_searches_by_itself(opened: Database, vectors: Vectors) -> None:
    assert isinstance(vectors, PgVectors) == (opened.dialect == "postgresql")
    again, note = vectors_of(opened, 2)
    assert (type(again), note) == (type(vectors), "")


def test_the_nearest_come_first(opened: Database, vectors: Vectors) -> None:
    assert nearest(opened, vectors, [1.0, 0.0], 3) == []
    put(opened, vectors, {A: [1.0, 0.0], B: [0.0, 1.0], C: [0.6, 0.8], D: [0.0, 0.0]})
    assert nearest(opened, vectors, [1.0, 0.0], 2) == [A, C]
    with opened.reading() as transaction:
        found = vectors.likeness(transaction, [1.0, 0.0], [B, C, D, "e" * 64])
        assert vectors.known(transaction, [A, "e" * 64]) == {A}
    assert found == pytest.approx({B: 0.0, C: 0.6, D: 0.0}, abs=1e-3)


def test_a_vector_is_replaced_and_goes(opened: Database, vectors: Vectors) -> None:
    put(opened, vectors, {A: [1.0, 0.0], B: [0.0, 1.0]})
    put(opened, vectors, {A: [0.0, 1.0]})
    with opened.writing() as transaction:
        assert vectors.likeness(transaction, [0.0, 1.0], [A]) == pytest.approx({A: 1.0}, abs=1e-3)
        vectors.drop(transaction, [A])
        settings.changed(transaction)
    assert nearest(opened, vectors, [0.0, 1.0], 5) == [B]
    with opened.writing() as transaction:
        transaction.run("DELETE FROM seek.vectors")
        settings.changed(transaction)
    assert nearest(opened, vectors, [0.0, 1.0], 5) == []


def test_nearly_all_of_the_nearest_are_found(opened: Database) -> None:
    migrate(opened, SEEK)
    vectors, _ = vectors_of(opened, 8)
    chance = random.Random(5)
    rows = {f"{number:064x}": [chance.gauss(0, 1) for _ in range(8)] for number in range(600)}
    put(opened, vectors, rows)
    query = [chance.gauss(0, 1) for _ in range(8)]
    with opened.reading() as transaction:
        exact = ExactVectors(8).likeness(transaction, query, list(rows))
    lengths = {name: sum(x * x for x in row) ** 0.5 for name, row in rows.items()}
    best = sorted(rows, key=lambda name: -exact[name] / lengths[name])[:100]
    found = nearest(opened, vectors, query, 100)
    if opened.dialect == "sqlite":
        best = sorted(rows, key=lambda name: -exact[name])[:100]
    assert len(found) == 100
    assert len(set(found) & set(best)) >= 95


@pytest.fixture
def denied(database: str) -> Iterator[Database]:
    """Return an empty database as somebody has it who may not add an extension."""
    name = f"r{abs(hash(database)) % 10**9}"
    with psycopg.connect(database, autocommit=True) as owner:
        [(here,)] = owner.execute("SELECT current_database()").fetchall()
        owner.execute(f"CREATE ROLE {name} LOGIN".encode())
        owner.execute(f"GRANT CREATE ON DATABASE {here} TO {name}".encode())
    opened = open_database(database.replace("postgres@", f"{name}@", 1))
    migrate(opened, SEEK)
    yield opened
    opened.close()
    with psycopg.connect(database, autocommit=True) as owner:
        owner.execute(f"DROP OWNED BY {name}".encode())
        owner.execute(f"DROP ROLE {name}".encode())


def test_who_may_not_add_pgvector_compares_with_all_and_is_told(denied: Database) -> None:
    vectors, note = vectors_of(denied, 2)
    assert (type(vectors), note) == (ExactVectors, EXACT)
    put(denied, vectors, {A: [1.0, 0.0], B: [0.0, 1.0]})
    assert nearest(denied, vectors, [1.0, 0.0], 1) == [A]


def test_what_was_there_before_pgvector_is_taken_over(database: str) -> None:
    opened = open_database(database)
    migrate(opened, SEEK)
    put(opened, ExactVectors(2), {A: [1.0, 0.0], B: [0.0, 1.0]})
    vectors, _ = vectors_of(opened, 2)
    assert isinstance(vectors, PgVectors)
    assert nearest(opened, vectors, [0.0, 1.0], 1) == [B]
    opened.close()


def test_vectors_that_are_too_long_for_pgvector_are_compared_with_all(database: str) -> None:
    opened = open_database(database)
    migrate(opened, SEEK)
    vectors, note = vectors_of(opened, 4001)
    assert (type(vectors), note) == (ExactVectors, EXACT)
    opened.close()
