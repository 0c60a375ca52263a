"""A logbook on a server: what is lost on the way is done again, and what is wrong is told."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import psycopg
import pytest

from custody.errors import LogbookFailed, UsageError
from custody.logbook import Transaction, items
from custody.logbook.book import Logbook
from custody.logbook.postgres import Postgres, shown

END_OTHERS = "SELECT pg_terminate_backend(?)"
OWN = "SELECT pg_backend_pid()"


@pytest.fixture
def store(database: str) -> Iterator[Postgres]:
    opened = Postgres(database)
    yield opened
    opened.close()


def test_values_and_tables_are_spelled_for_it(store: Postgres) -> None:
    with store.writing() as transaction:
        transaction.run("CREATE SCHEMA logbook")
        transaction.run("CREATE TABLE logbook.counts (number INTEGER)")
        assert transaction.many("INSERT INTO logbook.counts VALUES (?)", [(7,), (8,)]) == 2
        found = transaction.run("SELECT number % 4 FROM logbook.counts WHERE number = ?", 7)
    assert found == [(3,)]


def test_a_commit_is_written_when_it_returns(store: Postgres) -> None:
    """The server of the tests forgets the last commits, if it may."""
    with store.reading() as transaction:
        assert transaction.run("SHOW synchronous_commit") == [("on",)]


def test_who_reads_sees_one_moment_and_changes_nothing(store: Postgres) -> None:
    with store.writing() as transaction:
        transaction.run("CREATE TABLE counts (number INTEGER)")
    with store.reading() as reading:
        assert reading.run("SELECT count(*) FROM counts") == [(0,)]
        with store.writing() as transaction:
            transaction.run("INSERT INTO counts VALUES (1)")
        assert reading.run("SELECT count(*) FROM counts") == [(0,)]
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            reading.run("INSERT INTO counts VALUES (1)")


def test_work_begins_again_when_its_connection_is_lost(store: Postgres, database: str) -> None:
    other = Postgres(database)
    tried: list[int] = []

    def work(transaction: Transaction) -> int:
        [(own,)] = transaction.run(OWN)
        tried.append(own)
        if len(tried) == 1:
            with other.writing() as ending:
                ending.run(END_OTHERS, own)
        [(again,)] = transaction.run(OWN)
        return int(again)

    assert store.repeat(work) == tried[-1]
    assert len(tried) == 2
    other.close()


def test_a_connection_that_was_dropped_meanwhile_is_replaced(
    store: Postgres, database: str
) -> None:
    with store.writing() as transaction:
        [(own,)] = transaction.run(OWN)
    other = Postgres(database)
    with other.writing() as ending:
        ending.run(END_OTHERS, own)
    other.close()
    with store.writing() as transaction:
        assert transaction.run(OWN) != [(own,)]


def test_patience_ends(store: Postgres, database: str) -> None:
    impatient = Postgres(database, patience=0)

    def lost(transaction: Transaction) -> None:
        [(own,)] = transaction.run(OWN)
        with store.writing() as ending:
            ending.run(END_OTHERS, own)
        transaction.run(OWN)

    with pytest.raises(LogbookFailed) as caught:
        impatient.repeat(lost)
    assert caught.value.code == "unreachable"
    impatient.close()


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(LogbookFailed) as caught:
        Postgres("postgresql://me:secret@127.0.0.1:1/db")
    assert caught.value.code == "unreachable"
    assert "secret" not in f"{caught.value}{caught.value.hint}"


def test_no_password_is_shown() -> None:
    assert shown("postgresql://me:secret@server:55/db?sslmode=require") == (
        "postgresql://server:55/db"
    )


@pytest.mark.parametrize(
    "address", ["me:se/cret@server:x/db", "me:5/cret@server/db", "server:x/cret"]
)
def test_an_address_that_cannot_be_read_may_hold_a_password(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        Postgres(f"postgresql://{address}")
    assert "cret" not in f"{caught.value}{caught.value.hint}"


def test_a_name_that_no_index_takes_is_told_at_once(store: Postgres) -> None:
    drawn = random.Random(1)
    name = "".join(chr(drawn.randint(0x4E00, 0x9FA0)) for _ in range(1000))
    tried = []

    def work(transaction: Transaction) -> None:
        tried.append(name)
        items.add_item(transaction, "files", name, "a title", {})

    Logbook(store)
    with pytest.raises(LogbookFailed) as caught:
        store.repeat(work)
    assert (caught.value.code, len(tried)) == ("constraint", 1)


def test_a_constraint_is_told(store: Postgres) -> None:
    with store.writing() as transaction:
        transaction.run("CREATE TABLE counts (number INTEGER PRIMARY KEY)")
    with pytest.raises(LogbookFailed) as caught:
        store.repeat(lambda it: it.many("INSERT INTO counts VALUES (?)", [(1,), (1,)]))
    assert caught.value.code == "constraint"
    with pytest.raises(psycopg.errors.SyntaxError), store.writing() as transaction:
        transaction.run("SELEKT 1")


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(UsageError) as caught:
        Postgres("postgresql://server/db")
    assert caught.value.hint == "pip install 'custody-runtime[postgres]'"
