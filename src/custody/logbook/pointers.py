"""Patches and attachments: where their bytes are, never the bytes.

Whoever adds some holds a lock until he commits, so that a higher id never shows before a lower one:
who reads on from the highest that he has seen misses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from custody.errors import UsageError
from custody.evidence import Pointer
from custody.evidence.uri import FileUri, build_evidence_uri, parse
from custody.logbook import Transaction
from custody.logbook.artifacts import is_key
from custody.logbook.records import (
    Attachment,
    Cursor,
    Listed,
    NewAttachment,
    NewPatch,
    PatchBlob,
)
from custody.logbook.text import checked, meta_of, meta_text

_LOCK = "custody pointers"
_PATCH = (
    "blob_id, source_type, source_id, uri, evidence_uri, sha256, size_bytes, format, "
    "chunking_version, meta_json"
)
_ATTACHMENT = "attachment_id, item_id, kind, uri, sha256, size_bytes, meta_json"


def add_patches(transaction: Transaction, patches: Iterable[NewPatch]) -> int:
    """Add those that are not there, by source and hash; return how many these are."""
    transaction.lock(_LOCK)
    return transaction.many(
        """INSERT INTO scm.patch_blobs (source_type, source_id, uri, evidence_uri, sha256,
            size_bytes, format, chunking_version, meta_json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (source_type, source_id, sha256) DO NOTHING""",
        [_patch_row(patch) for patch in patches],
    )


def _patch_row(patch: NewPatch) -> tuple[Any, ...]:
    return (
        patch.source_type,
        checked("a source id", patch.source_id),
        _place(patch.uri),
        build_evidence_uri(patch.source_type, patch.source_id, patch.sha256),
        patch.sha256,
        patch.size_bytes,
        patch.format,
        patch.chunking_version,
        meta_text(patch.meta),
    )


def add_attachment(transaction: Transaction, new: NewAttachment) -> tuple[Attachment, bool]:
    """Add an attachment unless it is there, by item, kind and hash; tell whether it was added."""
    transaction.lock(_LOCK)
    row = (
        new.item_id,
        checked("a kind", new.kind),
        _place(new.uri),
        new.sha256,
        new.size_bytes,
        meta_text(new.meta),
    )
    added = transaction.many(
        """INSERT INTO logbook.attachments (item_id, kind, uri, sha256, size_bytes, meta_json)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (item_id, kind, sha256) DO NOTHING""",
        [row],
    )
    [found] = transaction.run(
        f"""SELECT {_ATTACHMENT} FROM logbook.attachments
        WHERE item_id = ? AND kind = ? AND sha256 = ?""",
        new.item_id,
        new.kind,
        new.sha256,
    )
    return _attachment(found), bool(added)


def _place(uri: str) -> str:
    """Return where bytes are; raises `UsageError` or `UriRefused` for what is no place."""
    if is_key(uri) or isinstance(parse(uri), FileUri):
        return uri
    raise UsageError(f"{uri[:80]!r} is neither an artifact key nor a file:// uri")


def patch_pointer(
    transaction: Transaction, source_type: str, source_id: str, sha256: str
) -> Pointer | None:
    """Return the pointer that has all three."""
    rows = transaction.run(
        """SELECT uri, sha256 FROM scm.patch_blobs
        WHERE source_type = ? AND source_id = ? AND sha256 = ?""",
        source_type,
        source_id,
        sha256,
    )
    return Pointer(uri=rows[0][0], sha256=rows[0][1]) if rows else None


def attachment(transaction: Transaction, attachment_id: int) -> Attachment | None:
    """Return an attachment."""
    rows = transaction.run(
        f"SELECT {_ATTACHMENT} FROM logbook.attachments WHERE attachment_id = ?", attachment_id
    )
    return _attachment(rows[0]) if rows else None


def patches(transaction: Transaction, *, after: int = 0, limit: int = 100) -> list[PatchBlob]:
    """Return patches in the order in which they came."""
    return [_patch(row) for row in _page(transaction, "scm.patch_blobs", _PATCH, after, limit)]


def attachments(transaction: Transaction, *, after: int = 0, limit: int = 100) -> list[Attachment]:
    """Return attachments in the order in which they came."""
    rows = _page(transaction, "logbook.attachments", _ATTACHMENT, after, limit)
    return [_attachment(row) for row in rows]


def listed(transaction: Transaction, after: Cursor, limit: int) -> list[Listed]:
    """Return pointers that ``after`` has not seen, patches first; none when it has seen all."""
    found = []
    for patch in patches(transaction, after=after.blob_id, limit=limit):
        cursor = Cursor(blob_id=patch.blob_id, attachment_id=after.attachment_id)
        found.append(_listed_patch(patch, cursor))
    seen = found[-1].cursor.blob_id if found else after.blob_id
    rest = limit - len(found)
    for one in attachments(transaction, after=after.attachment_id, limit=rest) if rest else ():
        cursor = Cursor(blob_id=seen, attachment_id=one.attachment_id)
        found.append(_listed_attachment(one, cursor))
    return found


def _listed_patch(patch: PatchBlob, cursor: Cursor) -> Listed:
    return Listed(
        cursor=cursor,
        source_type=patch.source_type,
        source_id=patch.source_id,
        kind="patch",
        evidence_uri=patch.evidence_uri,
        uri=patch.uri,
        sha256=patch.sha256,
        size_bytes=patch.size_bytes,
        chunking_version=patch.chunking_version,
        meta=patch.meta,
    )


def _listed_attachment(found: Attachment, cursor: Cursor) -> Listed:
    return Listed(
        cursor=cursor,
        source_type="logbook",
        source_id=str(found.attachment_id),
        kind="attachment",
        evidence_uri=found.evidence_uri,
        uri=found.uri,
        sha256=found.sha256,
        size_bytes=found.size_bytes,
        chunking_version="",
        meta=found.meta,
    )


def _page(
    transaction: Transaction, table: str, columns: str, after: int, limit: int
) -> Sequence[tuple[Any, ...]]:
    key = columns.partition(",")[0]
    statement = f"SELECT {columns} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?"
    return transaction.run(statement, after, limit)


def _patch(row: tuple[Any, ...]) -> PatchBlob:
    return PatchBlob(
        blob_id=row[0],
        source_type=row[1],
        source_id=row[2],
        uri=row[3],
        evidence_uri=row[4],
        sha256=row[5],
        size_bytes=row[6],
        format=row[7],
        chunking_version=row[8],
        meta=meta_of(row[9], f"patch blob {row[0]}"),
    )


def _attachment(row: tuple[Any, ...]) -> Attachment:
    return Attachment(
        attachment_id=row[0],
        item_id=row[1],
        kind=row[2],
        uri=row[3],
        sha256=row[4],
        size_bytes=row[5],
        meta=meta_of(row[6], f"attachment {row[0]}"),
    )
