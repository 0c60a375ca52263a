"""Copies a logbook from one database to another, and its artifacts from one store to another.

Every id is kept, since evidence uris name it. So the target is empty, or holds an earlier copy of
the same logbook: then what is new is added. Bytes are copied before the rows that name them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from custody.errors import LogbookFailed
from custody.logbook import Database, Transaction
from custody.logbook.artifacts import ArtifactStore, is_key
from custody.logbook.book import Logbook
from custody.logbook.tables import COLUMNS, KEYS
from custody.model.record import Record

_PAGE = 500
_CHANGING = ("scm.repos", "logbook.kv")
"""Tables whose rows may be newer at the source."""
_COUNTED = {
    "scm.repos": "repo_id",
    "scm.patch_blobs": "blob_id",
    "logbook.items": "item_id",
    "logbook.attachments": "attachment_id",
}
Row = tuple[Any, ...]


class Copied(Record, frozen=True):
    """What was copied: so many rows of each table were missing, and so many artifacts."""

    rows: dict[str, int]
    artifacts: int


def copy(
    source: Logbook, target: Logbook, *, artifacts: tuple[ArtifactStore, ArtifactStore] | None
) -> Copied:
    """Copy what is missing; ``artifacts`` are both stores, None where they are the same.

    Raises `LogbookFailed` with ``diverged`` where the target holds something of its own.
    """
    count = _copy_artifacts(source, *artifacts) if artifacts else 0
    rows = {table: _copy_table(source.database, target.database, table) for table in COLUMNS}
    target.database.repeat(_count_on)
    return Copied(rows=rows, artifacts=count)


def _copy_artifacts(source: Logbook, old: ArtifactStore, new: ArtifactStore) -> int:
    count = looked_at = 0
    for listed in source.pointers():
        if not is_key(listed.uri):
            continue
        if not new.holds(listed.uri):
            new.put(old.read(listed.uri))
            count += 1
        looked_at += 1
        if looked_at % _PAGE == 0:
            new.settle()
    new.settle()
    return count


def _copy_table(source: Database, target: Database, table: str) -> int:
    added, after = 0, None
    for page in _pages(source, table):
        last = _key(table, page[-1])
        added += target.repeat(_adding(target, table, page, after, last))
        after = last
    with target.reading() as transaction:
        if _select(transaction, table, after, None, 1):
            raise _diverged(target, table)
    return added


def _adding(
    target: Database, table: str, page: list[Row], after: Row | None, last: Row
) -> Callable[[Transaction], int]:
    """Return what adds a page of rows and sees that the target then has these and no others."""

    def add(transaction: Transaction) -> int:
        before = _select(transaction, table, after, last, len(page) + 1)
        transaction.many(_insert(table), page)
        if _select(transaction, table, after, last, len(page) + 1) != page:
            raise _diverged(target, table)
        return len(page) - len(before)

    return add


def _pages(source: Database, table: str) -> Iterator[list[Row]]:
    after = None
    while True:
        with source.reading() as transaction:
            page = _select(transaction, table, after, None, _PAGE)
        if not page:
            return
        yield page
        after = _key(table, page[-1])


def _select(
    transaction: Transaction, table: str, after: Row | None, last: Row | None, limit: int
) -> list[Row]:
    """Return rows after one key and up to another, in the order of their keys."""
    keys = ", ".join(KEYS[table])
    marks = ", ".join("?" * len(KEYS[table]))
    wanted = [
        f"({keys}) {sign} ({marks})"
        for sign, bound in ((">", after), ("<=", last))
        if bound is not None
    ]
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    return transaction.run(
        f"SELECT {', '.join(COLUMNS[table])} FROM {table} {where} ORDER BY {keys} LIMIT ?",
        *(after or ()),
        *(last or ()),
        limit,
    )


def _insert(table: str) -> str:
    columns = COLUMNS[table]
    others = [f"{name} = excluded.{name}" for name in columns if name not in KEYS[table]]
    action = f"UPDATE SET {', '.join(others)}" if table in _CHANGING else "NOTHING"
    marks = ", ".join("?" * len(columns))
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) "
        f"ON CONFLICT ({', '.join(KEYS[table])}) DO {action}"
    )


def _key(table: str, row: Row) -> Row:
    columns = COLUMNS[table]
    return tuple(row[columns.index(name)] for name in KEYS[table])


def _count_on(transaction: Transaction) -> None:
    """Let a server give ids after those that were copied; SQLite does by itself."""
    if transaction.dialect == "sqlite":
        return
    for table, column in _COUNTED.items():
        transaction.run(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) "
            f"FROM {table} HAVING max({column}) IS NOT NULL"
        )


def _diverged(target: Database, table: str) -> LogbookFailed:
    what = f"{table} holds rows that are not of the logbook that is copied"
    hint = "copy into an empty database, or into an earlier copy"
    return LogbookFailed("diverged", what, where=target.where, hint=hint)
