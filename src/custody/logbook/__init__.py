"""The logbook: what many runs and repositories left as evidence, as pointers and never as bytes.

    address      which database a url means
    Database     SQLite in a file (`sqlite`) or PostgreSQL (`postgres`), behind one interface
    migrations   numbered steps by which the tables of a component come to be

A statement is written once for both databases: every ``?`` in it stands for a value, and a table is
named with its schema, ``scm.patch_blobs``, which SQLite has as ``scm_patch_blobs``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeVar

Dialect = Literal["sqlite", "postgresql"]
SCHEMAS = ("scm", "logbook", "seek")
"""What tables are sorted into."""

_T = TypeVar("_T")


class Transaction(Protocol):
    """What is asked of a database until it is committed, all of it or nothing."""

    dialect: Dialect

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement; return its rows, none where it has none."""

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run one statement with each of some rows of values; return how many rows it changed."""

    def lock(self, name: str) -> None:
        """Wait until no other transaction holds the lock of that name, and hold it to the end."""


class Database(Protocol):
    """An open database; several processes may have it open."""

    dialect: Dialect
    where: str
    """What it is called in messages: without a password."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Give a transaction: committed at the end, rolled back by an exception.

        Raises `LogbookFailed`, or `StorageFailed` for a disk that refuses.
        """

    def reading(self) -> AbstractContextManager[Transaction]:
        """Give a transaction that sees the database at one moment, and changes nothing."""

    def repeat(self, work: Callable[[Transaction], _T]) -> _T:
        """Do what `writing` does; begin again when the connection was lost meanwhile.

        Then nobody knows whether it was committed, so ``work`` must be safe to repeat.
        """

    def close(self) -> None:
        """Give everything back; closing twice is harmless."""
