"""What a request asks for, each need by itself: one that makes no sense spoils no other."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from custody.errors import MalformedDocument, PathRefused
from custody.model.contracts.file_request import FileNeed, FileRequestEnvelope, PackBudget
from custody.model.record import decode, encode, ready
from custody.model.relpath import PATH_BYTES, RelPath

RANGES_LIMIT = 10_000
"""Pieces of one file that one need may ask for."""
GIT_CODES = frozenset({"denied", "dotgit"})
"""What `RelPath` says of git's own directory, in any spelling."""


NOTHING_MORE = encode(
    FileRequestEnvelope(
        schema_version="ctcp-file-request-v1",
        goal="",
        needs=(),
        budget=PackBudget(max_files=1 << 30, max_total_bytes=1 << 30),
        reason="",
    )
)
"""Asks for the mandatory documents alone."""


class WantedFile(NamedTuple):
    """One need of a request."""

    path: str
    """As the request spells it; for the list of what was left out."""
    file: RelPath | None = None
    """None where the need makes no sense, or is git's own."""
    whole: bool = True
    ranges: tuple[tuple[int, int], ...] = ()
    is_git: bool = False
    too_many: bool = False
    """Whether it asks for more pieces than anybody can use."""


class Suggestion(NamedTuple):
    """Lines of a file that nobody asked for, and that may serve whoever asked."""

    path: str
    sha256: str
    """Of the file that was meant; of another one no lines are shown."""
    lines: tuple[int, int]


class PackRequest(NamedTuple):
    """A request as the librarian takes it."""

    envelope: FileRequestEnvelope
    wanted: tuple[WantedFile, ...]


def read_request(data: bytes, *, where: str) -> PackRequest:
    """Read a request; raises `MalformedDocument` for one that cannot be answered at all."""
    envelope = decode(data, FileRequestEnvelope, where=where, any_text=True)
    for name in ("goal", "reason"):
        if not _is_text(getattr(envelope, name)):
            what = f"half a surrogate pair stands in it - at `$.{name}`"
            raise MalformedDocument("encoding", what, where=where)
    return PackRequest(envelope, tuple(map(_wanted, envelope.needs)))


def _wanted(item: Any) -> WantedFile:
    path = _as_shown(item)
    if isinstance(item, dict) and _has_too_many(item.get("line_ranges")):
        item = {**item, "line_ranges": item["line_ranges"][: RANGES_LIMIT + 1]}
    try:
        need = msgspec.convert(item, ready(FileNeed))
        file = RelPath.parse(need.path)
    except msgspec.ValidationError:
        return WantedFile(path)
    except PathRefused as refused:
        return WantedFile(path, is_git=refused.code in GIT_CODES)
    if need.mode == "full":
        return WantedFile(path, file)
    ranges = need.line_ranges or ()
    if not ranges or any(first > last for first, last in ranges):
        return WantedFile(path)
    return WantedFile(path, file, whole=False, ranges=ranges, too_many=len(ranges) > RANGES_LIMIT)


def _has_too_many(ranges: object) -> bool:
    return isinstance(ranges, list) and len(ranges) > RANGES_LIMIT


def _as_shown(item: Any) -> str:
    """Return the path of a need, whatever the need is, as a text that can be written."""
    path = item.get("path") if isinstance(item, dict) else None
    if not isinstance(path, str):
        return ""
    text = path.encode("utf-8", "replace").decode()
    return text if len(text) <= PATH_BYTES else f"{text[:PATH_BYTES]}…"


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
