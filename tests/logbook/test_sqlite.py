"""A logbook in one file: private, whole, and for several processes at once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import LogbookFailed, PathRefused, StorageFailed
from custody.logbook import Transaction
from custody.logbook.sqlite import Sqlite

COUNT = "CREATE TABLE logbook.counts (number INTEGER)"
ADD_MANY = """
import sys
from custody.logbook.sqlite import Sqlite
database = Sqlite(sys.argv[1])
for _ in range(50):
    with database.writing() as transaction:
        [(highest,)] = transaction.run("SELECT max(number) FROM logbook.counts")
        transaction.run("INSERT INTO logbook.counts VALUES (?)", highest + 1)
database.close()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "new" / "logbook.sqlite"


@pytest.fixture
def database(file: Path) -> Iterator[Sqlite]:
    opened = Sqlite(str(file))
    yield opened
    opened.close()


def test_it_is_its_owners_alone(database: Sqlite, file: Path) -> None:
    with database.writing() as transaction:
        transaction.run(COUNT)
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in file.parent.iterdir()} >= {"logbook.sqlite", "logbook.sqlite-wal"}
    assert {path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {0o600}


def test_it_is_set_up_as_said(database: Sqlite) -> None:
    said = {
        name: database._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    }
    assert said == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 60000,
    }


def test_a_table_has_its_schema_before_its_name(database: Sqlite) -> None:
    with database.writing() as transaction:
        transaction.run(COUNT)
        transaction.many("INSERT INTO logbook.counts VALUES (?)", [(1,), (2,)])
    with database.reading() as transaction:
        assert transaction.run("SELECT number FROM logbook_counts") == [(1,), (2,)]
        assert transaction.run("SELECT 'x.logbook'") == [("x.logbook",)]


def test_an_exception_takes_everything_back(database: Sqlite) -> None:
    def fail(transaction: Transaction) -> None:
        transaction.run(COUNT)
        raise KeyError

    with pytest.raises(KeyError):
        database.repeat(fail)
    with database.writing() as transaction:
        transaction.run(COUNT)


def test_several_processes_write_one_after_the_other(database: Sqlite, file: Path) -> None:
    with database.writing() as transaction:
        transaction.run(COUNT)
        transaction.run("INSERT INTO logbook.counts VALUES (0)")
    words = [sys.executable, "-c", ADD_MANY, str(file)]
    started = [subprocess.Popen(words) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    with database.reading() as transaction:
        found = transaction.run("SELECT count(*), max(number) FROM logbook.counts")
    assert found == [(151, 150)]


def test_who_reads_waits_for_no_writer(database: Sqlite, file: Path) -> None:
    other = Sqlite(str(file), patience=0)
    with database.writing() as transaction:
        transaction.run(COUNT)
        with other.reading() as reading:
            assert reading.run("SELECT count(*) FROM sqlite_master") == [(0,)]
        with pytest.raises(LogbookFailed, match="another process is writing"), other.writing():
            pass
    other.close()


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are my notes, and nothing else" * 100)
    with pytest.raises(LogbookFailed) as caught:
        Sqlite(str(file))
    assert caught.value.code == "no_database"
    assert file.read_text() == "these are my notes, and nothing else" * 100


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises((PathRefused, StorageFailed)):
        Sqlite(str(tmp_path / "file" / "logbook.sqlite"))
    with pytest.raises(StorageFailed):
        Sqlite(str(tmp_path))


def test_a_wrong_statement_is_a_bug_and_a_wrong_value_is_told(database: Sqlite) -> None:
    with pytest.raises(sqlite3.OperationalError), database.writing() as transaction:
        transaction.run("SELEKT 1")
    with database.writing() as transaction:
        transaction.run("CREATE TABLE logbook.counts (number INTEGER PRIMARY KEY)")
        transaction.run("INSERT INTO logbook.counts VALUES (1)")
    with pytest.raises(LogbookFailed) as caught:
        database.repeat(lambda it: it.run("INSERT INTO logbook.counts VALUES (1)"))
    assert caught.value.code == "constraint"


def test_a_file_of_others_keeps_its_rights(tmp_path: Path) -> None:
    file = tmp_path / "logbook.sqlite"
    file.touch(0o640)
    os.chmod(file, 0o640)
    Sqlite(str(file)).close()
    assert file.stat().st_mode & 0o777 == 0o640
