"""What attachments and events belong to."""

from __future__ import annotations

from typing import Any

from custody.logbook import Transaction
from custody.logbook.clock import utc_now
from custody.logbook.records import Item, Meta
from custody.logbook.text import checked, meta_of, meta_text

_COLUMNS = "item_id, kind, name, title, added_at, meta_json"


def add_item(transaction: Transaction, kind: str, name: str, title: str, meta: Meta) -> Item:
    """Add an item unless one of its kind has that name; return the one that is there."""
    row = (checked("a kind", kind), checked("a name", name), checked("a title", title))
    transaction.many(
        """INSERT INTO logbook.items (kind, name, title, added_at, meta_json)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, name) DO NOTHING""",
        [(*row, utc_now(), meta_text(meta))],
    )
    [found] = transaction.run(
        f"SELECT {_COLUMNS} FROM logbook.items WHERE kind = ? AND name = ?", kind, name
    )
    return _item(found)


def item(transaction: Transaction, item_id: int) -> Item | None:
    """Return an item."""
    rows = transaction.run(f"SELECT {_COLUMNS} FROM logbook.items WHERE item_id = ?", item_id)
    return _item(rows[0]) if rows else None


def items(transaction: Transaction, *, after: int = 0, limit: int = 100) -> list[Item]:
    """Return items in the order in which they came."""
    rows = transaction.run(
        f"SELECT {_COLUMNS} FROM logbook.items WHERE item_id > ? ORDER BY item_id LIMIT ?",
        after,
        limit,
    )
    return [_item(row) for row in rows]


def _item(row: tuple[Any, ...]) -> Item:
    return Item(
        item_id=row[0],
        kind=row[1],
        name=row[2],
        title=row[3],
        added_at=row[4],
        meta=meta_of(row[5], f"item {row[0]}"),
    )
