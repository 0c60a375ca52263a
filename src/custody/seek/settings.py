"""Small values of an index: its stamp, its weights, how far the logbook was read."""

from __future__ import annotations

from typing import TypeVar

from custody.logbook import Transaction
from custody.model.record import decode, encode

STAMP = "stamp"
WEIGHTS = "weights"
CHANGES = "changes"
"""Counts the changes of the index: what was read of it is good as long as none is added."""
CURSOR = "cursor"
PATTERNS = "patterns"
FIT = "fit"

_T = TypeVar("_T")


def get(transaction: Transaction, name: str, kind: type[_T]) -> _T | None:
    """Return a value; None where there is none."""
    rows = transaction.run("SELECT value_json FROM seek.settings WHERE name = ?", name)
    return decode(rows[0][0].encode(), kind, where=f"seek.settings {name}") if rows else None


def put(transaction: Transaction, name: str, value: object) -> None:
    """Keep a value, in the place of the one before."""
    transaction.run(
        """INSERT INTO seek.settings (name, value_json) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value_json = excluded.value_json""",
        name,
        encode(value).decode(),
    )


def changes(transaction: Transaction) -> int:
    """Return how often the index was changed."""
    return get(transaction, CHANGES, int) or 0


def changed(transaction: Transaction) -> None:
    """Count one change more."""
    put(transaction, CHANGES, changes(transaction) + 1)
