"""Events of a kind that only tests tell a logbook."""

from __future__ import annotations

from typing import Any

from custody.logbook import events
from custody.logbook.book import Logbook


def tell(book: Logbook, kind: str, data: dict[str, Any], *, item_id: int | None = None) -> int:
    """Add an event; return its number."""
    with book.database.writing() as transaction:
        return events.append(transaction, kind, data, item_id=item_id)
