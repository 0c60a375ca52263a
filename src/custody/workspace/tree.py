"""A workspace as a list of entries: how two of them differ, and how a list becomes bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from custody.errors import MalformedDocument
from custody.model.change import Change, Entry, Tree
from custody.model.record import encode_lines, ready
from custody.store.blobs import Blobs


def listing(entries: Iterable[Entry]) -> bytes:
    """Return one encoded entry a line, sorted by path."""
    in_order = sorted(entries, key=lambda entry: entry.path)
    return encode_lines(in_order)


def read_listing(data: bytes, *, where: str) -> dict[str, Entry]:
    """Return the entries of a listing by path; raises `MalformedDocument`."""
    try:
        entries = msgspec.json.Decoder(ready(Entry)).decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedDocument("type", str(error), where=where) from None
    return {entry.path: entry for entry in entries}


def tree_of(
    entries: Mapping[str, Entry],
    data: bytes,
    omitted: tuple[str, ...],
    dropped: tuple[str, ...] = (),
    excluded: tuple[str, ...] = (),
) -> Tree:
    """Return the pointer to the tree whose listing is ``data``."""
    return _tree(entries, hashlib.sha256(data).hexdigest(), omitted, dropped, excluded)


def _tree(
    entries: Mapping[str, Entry],
    sha256: str,
    omitted: tuple[str, ...],
    dropped: tuple[str, ...],
    excluded: tuple[str, ...],
) -> Tree:
    return Tree(
        sha256=sha256,
        entries=len(entries),
        bytes=sum(entry.bytes for entry in entries.values()),
        omitted=omitted,
        dropped=dropped or msgspec.UNSET,
        excluded=excluded or msgspec.UNSET,
    )


def put_tree(
    blobs: Blobs,
    entries: Mapping[str, Entry],
    omitted: tuple[str, ...],
    dropped: tuple[str, ...] = (),
    excluded: tuple[str, ...] = (),
) -> Tree:
    """Keep the listing of a tree, and return the pointer to it."""
    sha256 = blobs.put(listing(entries.values()))
    return _tree(entries, sha256, omitted, dropped, excluded)


def change_between(before: Entry | None, after: Entry | None) -> Change | None:
    """Return how one path differs, or None when it does not."""
    if before == after:
        return None
    path = after.path if after else before.path if before else ""
    if before is None:
        return Change(path=path, change="added", after=after)
    if after is None:
        return Change(path=path, change="deleted", before=before)
    same_content = msgspec.structs.replace(after, mode=before.mode) == before
    return Change(
        path=path, change="mode" if same_content else "modified", before=before, after=after
    )
