"""The logbook itself, whichever database holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Self, TypeVar

from custody.evidence import Pointer
from custody.logbook import Database, Transaction, events, items, kv, pointers, repos
from custody.logbook.address import open_database
from custody.logbook.events import EventChain
from custody.logbook.migrations import migrate
from custody.logbook.records import (
    Attachment,
    Cursor,
    Event,
    Item,
    Listed,
    Meta,
    NewAttachment,
    NewPatch,
    PatchBlob,
    Repo,
)
from custody.logbook.tables import COLUMNS, LOGBOOK

ATTACHED = "attachment.added"
"""The kind of event that tells of an attachment."""
_PAGE = 1000

_T = TypeVar("_T")


class Logbook:
    """Items, patches, attachments, events and small values; a context manager that closes it.

    It is a `custody.evidence.Pointers`. Whatever is added twice is there once.
    """

    def __init__(self, database: Database) -> None:
        """Take over an open database, and make the tables that are missing."""
        self.database = database
        self.applied = migrate(database, LOGBOOK)
        """The steps that were missing."""

    @classmethod
    def open(cls, url: str) -> Self:
        """Open the logbook at a path or url, as `open_database` does."""
        database = open_database(url)
        try:
            return cls(database)
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_item(self, kind: str, name: str, title: str = "", meta: Meta | None = None) -> Item:
        """Return the item of that kind and name, added if it was missing."""
        return self._write(lambda it: items.add_item(it, kind, name, title or name, meta or {}))

    def item(self, item_id: int) -> Item | None:
        """Return an item; None when there is none."""
        return self._read(lambda it: items.item(it, item_id))

    def items(self, *, after: int = 0, limit: int = 100) -> list[Item]:
        """Return items in the order in which they came, from the one after ``after`` on."""
        return self._read(lambda it: items.items(it, after=after, limit=limit))

    def add_patches(self, patches: Iterable[NewPatch]) -> int:
        """Add patches whose bytes are in their place; return how many were missing."""
        rows = list(patches)
        return self._write(lambda it: pointers.add_patches(it, rows))

    def patches(self, *, after: int = 0, limit: int = 100) -> list[PatchBlob]:
        """Return patches in the order in which they came."""
        return self._read(lambda it: pointers.patches(it, after=after, limit=limit))

    def add_attachment(self, new: NewAttachment) -> Attachment:
        """Return the attachment with its id; when it was missing, an event tells of it."""
        return self._write(lambda it: _attach(it, new))

    def attachments(self, *, after: int = 0, limit: int = 100) -> list[Attachment]:
        """Return attachments in the order in which they came."""
        return self._read(lambda it: pointers.attachments(it, after=after, limit=limit))

    def patch_blob(self, source_type: str, source_id: str, sha256: str) -> Pointer | None:
        """Return the pointer that has all three; None when there is none."""
        return self._read(lambda it: pointers.patch_pointer(it, source_type, source_id, sha256))

    def attachment(self, attachment_id: int) -> Pointer | None:
        """Return the pointer of an attachment, whatever its hash; None when there is none."""
        found = self._read(lambda it: pointers.attachment(it, attachment_id))
        return Pointer(uri=found.uri, sha256=found.sha256) if found else None

    def pointers(self, after: Cursor | None = None, *, page: int = _PAGE) -> Iterator[Listed]:
        """Yield every pointer that ``after`` has not seen, in a stable order.

        Whoever keeps the last one's cursor goes on from there later, and misses nothing that was
        added meanwhile.
        """
        found = self._after(after or Cursor(), page)
        while found:
            yield from found
            found = self._after(found[-1].cursor, page)

    def events(self, *, after: int = 0, limit: int = 100) -> list[Event]:
        """Return events in order."""
        return self._read(lambda it: events.page(it, after=after, limit=limit))

    def verify_events(self, *, head: str = "") -> EventChain:
        """Walk the chain of events, as `custody.logbook.events.verify` does."""
        return self._read(lambda it: events.verify(it, head=head))

    def repos(self) -> list[Repo]:
        """Return the repositories whose histories are here."""
        return self._read(repos.repos)

    def counts(self) -> dict[str, int]:
        """Return how many rows each table has."""
        return self._read(
            lambda it: {
                table: int(it.run(f"SELECT count(*) FROM {table}")[0][0]) for table in COLUMNS
            }
        )

    def put(self, namespace: str, name: str, value: object) -> None:
        """Keep a small value."""
        self._write(lambda it: kv.put(it, namespace, name, value))

    def get(self, namespace: str, name: str, kind: type[_T]) -> _T | None:
        """Return a small value; None where there is none."""
        return self._read(lambda it: kv.get(it, namespace, name, kind))

    def _after(self, cursor: Cursor, limit: int) -> list[Listed]:
        return self._read(lambda it: pointers.listed(it, cursor, limit))

    def _read(self, work: Callable[[Transaction], _T]) -> _T:
        with self.database.reading() as transaction:
            return work(transaction)

    def _write(self, work: Callable[[Transaction], _T]) -> _T:
        return self.database.repeat(work)


def _attach(transaction: Transaction, new: NewAttachment) -> Attachment:
    attachment, added = pointers.add_attachment(transaction, new)
    if added:
        told = {"attachment_id": attachment.attachment_id, "sha256": attachment.sha256}
        events.append(transaction, ATTACHED, told, item_id=attachment.item_id)
    return attachment
