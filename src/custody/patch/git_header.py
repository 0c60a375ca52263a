"""Git's own header of a file: ``diff --git`` and what follows up to the hunks."""

from __future__ import annotations

import re
from typing import NamedTuple

from custody.patch import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    FileChange,
    Kind,
    names,
)
from custody.patch.cursor import PatchCursor
from custody.patch.plain_header import NEW, OLD, file_line

GIT = b"diff --git "

_MODE_LINES = (b"old mode ", b"new mode ", b"deleted file mode ", b"new file mode ")
_NAME_LINES = (b"rename from ", b"rename to ", b"copy from ", b"copy to ")
_SHARE_LINES = (b"similarity index ", b"dissimilarity index ")
_INDEX_LINE = b"index "
_STARTS = (*_MODE_LINES, *_NAME_LINES, *_SHARE_LINES, _INDEX_LINE)
_SAY: dict[bytes, Kind] = {
    b"new file mode ": "add",
    b"deleted file mode ": "delete",
    b"rename from ": "rename",
    b"rename to ": "rename",
    b"copy from ": "copy",
    b"copy to ": "copy",
}
_MODES = {b"%o" % mode: mode for mode in (REGULAR, EXECUTABLE, SYMLINK)}
_SHARE = re.compile(rb"(?:100|[0-9]{1,2})%")
_INDEX = re.compile(rb"([^\s.]{1,64})\.\.([^\s.]{1,64})(?: ([0-7]+))?")


class Header(NamedTuple):
    """A header, and what only binary data needs of it."""

    change: FileChange
    ids: tuple[str, str] | None = None
    """Git's names of the content before and after."""


class _Fields(NamedTuple):
    """The lines of one header by how they begin."""

    modes: dict[bytes, int]
    names: dict[bytes, bytes]
    shares: dict[bytes, bytes]
    ids: dict[bytes, tuple[str, str]]
    """Of the index line; `modes` holds the mode that it notes."""

    @property
    def begins(self) -> frozenset[bytes]:
        return frozenset().union(*self)


def read_git_header(cursor: PatchCursor) -> Header:
    """Read a header; raises `MalformedDocument` where its lines contradict each other."""
    number = cursor.number
    rest = cursor.take().removeprefix(GIT)
    fields = _read_fields(cursor)
    kind = _kind(cursor, fields, number)
    old, new = _names(cursor, kind, fields, rest, number)
    if cursor.at == number:
        raise cursor.malformed("a header needs more lines, such as '--- a/…' and '+++ b/…'")
    old_mode, new_mode = _modes(cursor, kind, fields, number)
    change = FileChange(
        number=number,
        kind=kind,
        old_path=None if kind == "add" else old,
        new_path=None if kind == "delete" else new,
        old_mode=old_mode,
        new_mode=new_mode,
    )
    return Header(change, fields.ids.get(_INDEX_LINE))


def _read_fields(cursor: PatchCursor) -> _Fields:
    fields = _Fields({}, {}, {}, {})
    while start := next((start for start in _STARTS if cursor.next_is(start)), b""):
        if start in fields.begins:
            raise cursor.malformed(f"{start.decode()!r} stands twice in a header")
        text = cursor.lines[cursor.at].removeprefix(start)
        if start in _MODE_LINES:
            fields.modes[start] = _mode(cursor, text)
        elif start in _NAME_LINES:
            fields.names[start] = _name(cursor, text)
        elif start == _INDEX_LINE:
            _read_index(cursor, text, fields)
        else:
            fields.shares[start] = _share(cursor, text)
        cursor.take()
    return fields


def _mode(cursor: PatchCursor, text: bytes) -> int:
    if text == b"%o" % SUBMODULE:
        raise cursor.malformed("submodules cannot be patched")
    if text not in _MODES:
        raise cursor.unexpected("a mode of 100644, 100755 or 120000")
    return _MODES[text]


def _name(cursor: PatchCursor, text: bytes) -> bytes:
    if (name := names.plain(text)) is None:
        raise cursor.unexpected("a line with a name")
    return name


def _share(cursor: PatchCursor, text: bytes) -> bytes:
    if _SHARE.fullmatch(text) is None:
        raise cursor.unexpected("a share in per cent")
    return text


def _read_index(cursor: PatchCursor, text: bytes, fields: _Fields) -> None:
    found = _INDEX.fullmatch(text)
    if found is None:
        raise cursor.unexpected("a line of two object names")
    fields.ids[_INDEX_LINE] = found[1].decode("latin-1"), found[2].decode("latin-1")
    if found[3] is not None:
        fields.modes[_INDEX_LINE] = _mode(cursor, found[3])


def _kind(cursor: PatchCursor, fields: _Fields, number: int) -> Kind:
    kinds = sorted({_SAY[start] for start in fields.begins if start in _SAY})
    if len(kinds) > 1:
        raise cursor.malformed(f"the header says {kinds[0]} and {kinds[1]}", number)
    if len(fields.names) == 1:
        raise cursor.malformed(f"the header of a {kinds[0]} lacks one of its names", number)
    return kinds[0] if kinds else "modify"


def _names(
    cursor: PatchCursor, kind: Kind, fields: _Fields, rest: bytes, number: int
) -> tuple[bytes, bytes]:
    """Return both names of a file; refuses lines that do not agree about them."""
    known: tuple[bytes, bytes] | None = None
    if fields.names:
        known = fields.names[b"%s from " % kind.encode()], fields.names[b"%s to " % kind.encode()]
        if known[0] == known[1]:
            raise cursor.malformed(f"{names.shown(known[0])} becomes itself", number)
    if cursor.next_is(OLD):
        below = _names_below(cursor, kind)
        if known not in {None, below}:
            raise cursor.malformed("the lines of the header name different files", number)
        known = below
    found = names.pair(rest, known)
    if known not in {None, found}:
        raise cursor.malformed("'diff --git' names another file than the lines below", number)
    if found is None:
        raise cursor.malformed(
            "no two names with a/ and b/ before them follow 'diff --git'", number
        )
    if found[0] != found[1] and not fields.names:
        raise cursor.malformed("two names, but nothing says that the file is renamed", number)
    return found


def _names_below(cursor: PatchCursor, kind: Kind) -> tuple[bytes, bytes]:
    """Return the names of ``---`` and ``+++``; the one that is there where the other is none."""
    number = cursor.number
    old, _ = file_line(cursor, OLD, announced=True)
    new, _ = file_line(cursor, NEW, announced=True)
    if (old is None) != (kind == "add") or (new is None) != (kind == "delete"):
        what = "/dev/null stands for a file that is added or deleted"
        raise cursor.malformed(f"{what}, but the header says {kind}", number)
    path = old or new or b""
    return old or path, new or path


def _modes(
    cursor: PatchCursor, kind: Kind, fields: _Fields, number: int
) -> tuple[int | None, int | None]:
    """Return the modes before and after; refuses lines that contradict each other."""
    old, new, deleted, added = (fields.modes.get(start) for start in _MODE_LINES)
    noted = fields.modes.get(_INDEX_LINE)
    if (old is None) != (new is None) or (old is not None and kind in {"add", "delete"}):
        raise cursor.malformed(
            "'old mode' and 'new mode' belong together, and to nothing else", number
        )
    if old is not None and (old == new or SYMLINK in {old, new}):
        raise cursor.malformed(f"a mode cannot change from {old:o} to {new:o}", number)
    said = next((mode for mode in (old, deleted, added) if mode is not None), None)
    if said is None:
        return noted, noted
    if noted not in {None, said}:
        raise cursor.malformed(f"the index line says mode {noted:o}, another line {said:o}", number)
    return old or deleted, new or added
