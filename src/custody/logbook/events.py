"""What happened, in order: each event holds the hash of the one before.

``sha256`` of an event is that of the JSON list ``[seq, ts, kind, item_id, data_json, prev]``. An
event that was changed, left out or put between is found by walking from the first one on. What the
chain alone cannot show is that its end was cut off, or that all of it was written anew by whoever
may write: for that, keep the head somewhere else and hand it to `verify`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from custody.logbook import Transaction
from custody.logbook.clock import utc_now
from custody.logbook.records import Event
from custody.logbook.text import checked, json_text
from custody.model.record import Record, decode, encode

GENESIS = "0" * 64
"""What the first event holds as the hash of the one before."""
_LOCK = "custody events"
_PAGE = 1000
_COLUMNS = "seq, ts, kind, item_id, data_json, prev, sha256"


class EventChain(Record, frozen=True):
    """What was found of a chain."""

    events: int
    """So many hold, from the first one on."""
    head: str
    """The hash of the last of them."""
    broken_at: int = 0
    """The first event that does not hold; 0 where all do."""
    what: str = ""
    """Why it does not."""


def append(
    transaction: Transaction, kind: str, data: dict[str, Any], *, item_id: int | None = None
) -> int:
    """Add an event; return its number. Whoever else adds one waits until this one is committed."""
    transaction.lock(_LOCK)
    last = transaction.run("SELECT seq, sha256 FROM logbook.events ORDER BY seq DESC LIMIT 1")
    seq, prev = (last[0][0] + 1, last[0][1]) if last else (1, GENESIS)
    hashed = (seq, utc_now(), checked("a kind", kind), item_id, json_text(data), prev)
    row = (*hashed, _sha256(hashed))
    transaction.run(f"INSERT INTO logbook.events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", *row)
    return seq


def page(transaction: Transaction, *, after: int = 0, limit: int = _PAGE) -> list[Event]:
    """Return events in order, from the one after ``after`` on."""
    return [
        Event(
            seq=seq,
            ts=ts,
            kind=kind,
            item_id=item_id,
            data=decode(data.encode(), dict[str, Any], where=f"event {seq}"),
            prev=prev,
            sha256=sha256,
        )
        for seq, ts, kind, item_id, data, prev, sha256 in _rows(transaction, after, limit)
    ]


def verify(transaction: Transaction, *, head: str = "") -> EventChain:
    """Walk the chain from its first event; tell the first that does not hold.

    With ``head`` the chain must hold that hash, which it had at an earlier time.
    """
    count, before, seen = 0, GENESIS, head in {"", GENESIS}
    for row in _all(transaction):
        if what := _wrong(row, count + 1, before):
            return EventChain(events=count, head=before, broken_at=count + 1, what=what)
        count, before = row[0], row[-1]
        seen = seen or before == head
    if not seen:
        what = f"no event has the hash {head}: the end was cut off, or all was written anew"
        return EventChain(events=count, head=before, broken_at=count + 1, what=what)
    return EventChain(events=count, head=before)


def _wrong(row: tuple[Any, ...], expected: int, before: str) -> str:
    """Return why an event does not follow on the one before; empty where it does."""
    *hashed, prev, sha256 = row
    if row[0] != expected:
        return f"event {expected} is missing; event {row[0]} follows"
    if _sha256((*hashed, prev)) != sha256:
        return f"event {expected} was changed: its hash is another"
    return "" if prev == before else f"event {expected} does not hold the hash of the one before"


def _all(transaction: Transaction) -> Iterator[tuple[Any, ...]]:
    after = -(2**62)
    while rows := _rows(transaction, after, _PAGE):
        yield from rows
        after = rows[-1][0]


def _rows(transaction: Transaction, after: int, limit: int) -> list[tuple[Any, ...]]:
    statement = f"SELECT {_COLUMNS} FROM logbook.events WHERE seq > ? ORDER BY seq LIMIT ?"
    return transaction.run(statement, after, limit)


def _sha256(hashed: tuple[Any, ...]) -> str:
    return hashlib.sha256(encode(hashed)).hexdigest()
