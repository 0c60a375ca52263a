"""The lines ``---`` and ``+++``, and headers that are nothing else: those of other diffs."""

from __future__ import annotations

import re

from custody.patch import REGULAR, FileChange, Kind, names
from custody.patch.cursor import PatchCursor

OLD, NEW = b"--- ", b"+++ "
HUNK = b"@@ -"
NO_FILE = b"/dev/null"

_DATE = rb"(?:[0-9]{2})?[0-9]{2}-[0-9]{2}-[0-9]{2}"
_TIME = rb"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?"
_ZONE = rb"[+-][0-9]{2}:?[0-9]{2}"
_STAMP = re.compile(rb"(?:%s(?: %s)?(?: %s)?)?" % (_DATE, _TIME, _ZONE))
_EPOCH = re.compile(
    rb"(1969-12-31|1970-01-01) ([0-2][0-9]):([0-5][0-9]):00(?:\.0+)?"
    rb" ([+-])([0-2][0-9]):?([0-5][0-9])"
)


def read_plain_header(cursor: PatchCursor) -> FileChange:
    """Read a header that no ``diff --git`` announces."""
    number = cursor.number
    old, old_stamp = file_line(cursor, OLD, announced=False)
    new, new_stamp = file_line(cursor, NEW, announced=False)
    if not cursor.next_is(HUNK):
        raise cursor.unexpected("the hunk of a file")
    path = old if new is None else new
    if path is None:
        raise cursor.malformed("it names no file", number)
    if old is not None and old != path:
        raise cursor.malformed(f"{names.shown(old)} and {names.shown(path)} are two files", number)
    kind: Kind = "modify"
    if old is None or (new is not None and _is_epoch(old_stamp)):
        kind = "add"
    elif new is None or _is_epoch(new_stamp):
        kind = "delete"
    return FileChange(
        number=number,
        kind=kind,
        old_path=None if kind == "add" else path,
        new_path=None if kind == "delete" else path,
        new_mode=REGULAR if kind == "add" else None,
    )


def file_line(cursor: PatchCursor, start: bytes, *, announced: bool) -> tuple[bytes | None, bytes]:
    """Read ``---`` or ``+++``; return the name, None for no file, and the date behind it.

    Where no ``diff --git`` has announced it, git takes what looks like a date for one: a blank in
    a name needs the TAB that ends it.
    """
    if not cursor.next_is(start):
        raise cursor.unexpected(f"a line that begins with {start.decode()!r}")
    text, tab, stamp = cursor.lines[cursor.at].removeprefix(start).partition(b"\t")
    name = None if text == NO_FILE else names.without_prefix(names.plain(text))
    if name is None and text != NO_FILE:
        raise cursor.unexpected("a line with a name, and a/ or b/ before it")
    if _STAMP.fullmatch(stamp) is None:
        raise cursor.unexpected("a name with nothing or a date after it")
    if not announced and not tab and b" " in text and not text.startswith(b'"'):
        raise cursor.malformed("a name with a blank in it must end with a TAB")
    cursor.take()
    return name, stamp


def _is_epoch(stamp: bytes) -> bool:
    """Whether a date is the beginning of time, by which other diffs say that there is no file."""
    found = _EPOCH.fullmatch(stamp)
    if found is None:
        return False
    day, hour, minute, sign, zone_hours, zone_minutes = found.groups()
    zone = int(zone_hours) * 60 + int(zone_minutes)
    at = int(hour) * 60 + int(minute) - (-zone if sign == b"-" else zone)
    return at == (24 * 60 if day == b"1969-12-31" else 0)
