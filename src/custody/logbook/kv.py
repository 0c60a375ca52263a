"""Small values by name: how far a history was read, and the like."""

from __future__ import annotations

from typing import TypeVar

from custody.logbook import Transaction
from custody.logbook.clock import utc_now
from custody.logbook.text import checked, json_text
from custody.model.record import decode

_T = TypeVar("_T")


def put(transaction: Transaction, namespace: str, name: str, value: object) -> None:
    """Keep a value, in the place of the one before."""
    transaction.run(
        """INSERT INTO logbook.kv (namespace, name, value_json, changed_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (namespace, name)
        DO UPDATE SET value_json = excluded.value_json, changed_at = excluded.changed_at""",
        checked("a namespace", namespace),
        checked("a name", name),
        json_text(value),
        utc_now(),
    )


def get(transaction: Transaction, namespace: str, name: str, kind: type[_T]) -> _T | None:
    """Return a value; None where there is none. Raises `MalformedDocument` for another kind."""
    rows = transaction.run(
        "SELECT value_json FROM logbook.kv WHERE namespace = ? AND name = ?", namespace, name
    )
    where = f"logbook.kv {namespace}/{name}"
    return decode(rows[0][0].encode(), kind, where=where) if rows else None
