"""A logbook in one file: SQLite with a write-ahead log, which several processes may have open.

The file is its owner's alone. A commit is on the disk when it returns. Whoever writes holds the
only lock from the beginning of the transaction (``BEGIN IMMEDIATE``), so that what was read in it
still holds when it commits; whoever reads waits for nobody.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from custody.errors import CustodyError, LogbookFailed, StorageFailed
from custody.logbook import SCHEMAS, Dialect, Transaction
from custody.patterns import later
from custody.store.private import make_private_file

PATIENCE = 60.0
"""Seconds that a writer waits for another."""
_PRAGMAS = ("synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON", "trusted_schema=OFF")
_TABLE = later(rf"\b({'|'.join(SCHEMAS)})\.(?=[a-z])")
_NO_DATABASE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DISK = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
)

_T = TypeVar("_T")


class Sqlite:
    """The database in a file. One connection, which threads take in turn."""

    dialect: Dialect = "sqlite"

    def __init__(self, path: str, *, patience: float = PATIENCE) -> None:
        """Open it; it is made, with its folder, where it is missing."""
        self.where = path
        self._turn = threading.RLock()
        make_private_file(path)
        with self._told():
            self._connection = sqlite3.connect(
                path, timeout=patience, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        for pragma in _PRAGMAS:
            self._connection.execute(f"PRAGMA {pragma}")
        if self._connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            # Only who is alone may switch, and SQLite asks no second time by itself.
            self._connection.execute("BEGIN IMMEDIATE").execute("COMMIT")
            self._connection.execute("PRAGMA journal_mode=WAL")

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Give a transaction that holds the lock of writers."""
        with self._transaction("BEGIN IMMEDIATE") as transaction:
            yield transaction

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Give a transaction that sees the database at one moment."""
        with self._transaction("BEGIN") as transaction:
            yield transaction

    def repeat(self, work: Callable[[Transaction], _T]) -> _T:
        """Do it once: there is no connection that could be lost."""
        with self.writing() as transaction:
            return work(transaction)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[_SqliteTransaction]:
        with self._turn, self._told():
            self._connection.execute(begin)
            try:
                yield _SqliteTransaction(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _failure(error, self.where) from error


class _SqliteTransaction:
    """What is run between ``BEGIN`` and ``COMMIT``."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement."""
        return self._connection.execute(_spelled(statement), values).fetchall()

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run one statement with each row of values."""
        return max(self._connection.executemany(_spelled(statement), rows).rowcount, 0)

    def lock(self, name: str) -> None:
        """Hold what a writer holds anyway; to a reader ``name`` means nothing."""


@lru_cache(maxsize=512)
def _spelled(statement: str) -> str:
    """Return a statement as SQLite has its tables."""
    return _TABLE.sub(r"\1_", statement)


def _failure(error: sqlite3.Error, where: str) -> CustodyError | sqlite3.Error:
    """Return what an error means; a statement that is wrong is a bug, and stays one."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _NO_DATABASE:
        hint = "name another file, or restore this one"
        return LogbookFailed("no_database", f"{error}", where=where, hint=hint)
    if code in _BUSY:
        hint = "see which process is at it: `fuser FILE`"
        return LogbookFailed("busy", "another process is writing", where=where, hint=hint)
    if code == sqlite3.SQLITE_CONSTRAINT:
        return LogbookFailed("constraint", str(error), where=where)
    if code in _DISK:
        return StorageFailed(str(error), where=where)
    return error
