"""Reads a patch: strictly, in one pass, and nothing of it is passed over.

What is refused, beyond what git refuses, is listed in `custody.patch`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from custody.patch import FileChange, Hunk, names
from custody.patch.binary import NO_ID, START, read_binary
from custody.patch.cursor import PatchCursor
from custody.patch.git_header import GIT, Header, read_git_header
from custody.patch.plain_header import HUNK, OLD, read_plain_header

_RANGES = re.compile(
    rb"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@(?: .*)?"
)
_NO_DATA = re.compile(rb"(?:Binary files|Files) .* differ", re.DOTALL)
_MARK = 12
"""Git knows a mark for a missing newline by its length: it may be in any language."""


def read_patch(data: bytes, *, where: str = "") -> tuple[FileChange, ...]:
    """Return what a patch does to each file, in its order; raises `MalformedDocument`."""
    cursor = PatchCursor(data, where)
    changes: list[FileChange] = []
    while (line := cursor.line) is not None:
        if not line:
            cursor.take()
        elif line.startswith(GIT):
            changes.append(_with_content(cursor, read_git_header(cursor)))
        elif line.startswith(OLD):
            changes.append(_with_content(cursor, Header(read_plain_header(cursor))))
        else:
            raise cursor.unexpected("the beginning of a file in a patch")
    if not changes:
        raise cursor.malformed("there is no file in the patch")
    _refuse_twice(cursor, changes)
    return tuple(changes)


def _with_content(cursor: PatchCursor, header: Header) -> FileChange:
    """Read what follows a header."""
    change = header.change
    _refuse_places(cursor, change)
    line = cursor.line or b""
    if line == START:
        change = change._replace(binary=read_binary(cursor, header.ids))
        _refuse_ids(cursor, change)
    elif _NO_DATA.fullmatch(line):
        raise cursor.malformed("the patch does not hold the binary data; `git diff --binary` does")
    else:
        change = change._replace(hunks=_read_hunks(cursor, change))
    same = change.kind == "modify" and change.old_mode == change.new_mode
    if same and not change.hunks and not change.binary:
        raise cursor.malformed("the header of a file that nothing is done to", change.number)
    return change


def _refuse_places(cursor: PatchCursor, change: FileChange) -> None:
    for path, mode in ((change.old_path, change.old_mode), (change.new_path, change.new_mode)):
        if path is not None and not names.can_hold(path, mode):
            raise cursor.malformed(f"git has no place for {names.shown(path)}", change.number)


def _read_hunks(cursor: PatchCursor, change: FileChange) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    end = shift = 0
    while cursor.next_is(HUNK):
        number = cursor.number
        hunk, new_start = _read_hunk(cursor)
        old, new = len(hunk.before), len(hunk.after)
        if hunks and (hunks[-1].closes or hunk.start < end):
            raise cursor.malformed("the hunk before this one reaches further", number)
        if new_start != hunk.start + shift:
            raise cursor.malformed(
                "where the hunk begins before and after do not fit together", number
            )
        if (old and change.kind == "add") or (new and change.kind == "delete"):
            raise cursor.malformed(
                f"the header says {change.kind}, the hunk says otherwise", number
            )
        end, shift = hunk.start + old, shift + new - old
        hunks.append(hunk)
    return tuple(hunks)


def _read_hunk(cursor: PatchCursor) -> tuple[Hunk, int]:
    """Return a hunk, and how many lines of the new text stand before it."""
    number = cursor.number
    ranges = _RANGES.fullmatch(cursor.lines[cursor.at])
    if ranges is None:
        raise cursor.unexpected("the head of a hunk")
    old_count, new_count = (1 if n is None else int(n) for n in (ranges[2], ranges[4]))
    starts = int(ranges[1]) - (old_count > 0), int(ranges[3]) - (new_count > 0)
    if min(starts) < 0:
        raise cursor.malformed("a hunk with lines begins at line 1 or further down")
    if not old_count and starts[0] == 1:
        # Git looks for a hunk that names line 1 at the beginning of the file, whatever it holds.
        raise cursor.malformed("a hunk that adds after line 1 needs the line before as context")
    cursor.take()
    lines = _read_lines(cursor, old_count, new_count)
    if all(line.startswith(b" ") for line in lines):
        raise cursor.malformed("a hunk that changes nothing", number)
    return Hunk(number, starts[0], tuple(lines)), starts[1]


def _read_lines(cursor: PatchCursor, old: int, new: int) -> list[bytes]:
    """Read the lines of a hunk until there are as many on each side as it says."""
    found: list[bytes] = []
    while (line := cursor.line) is not None:
        mark = line[:1]
        if mark == b"\\":
            _drop_newline(cursor, found, old, new)
        elif not old and not new:
            break
        elif mark == b"+":
            new -= 1
            found.append(line + b"\n")
        elif mark == b"-":
            old -= 1
            found.append(line + b"\n")
        elif mark in {b" ", b""}:
            old, new = old - 1, new - 1
            found.append((line or b" ") + b"\n")
        else:
            raise cursor.unexpected("a line of a hunk")
        if old < 0 or new < 0:
            raise cursor.malformed("the hunk has more lines than its head says")
        cursor.at += 1
    if old or new:
        raise cursor.unexpected("a line of a hunk")
    return found


def _drop_newline(cursor: PatchCursor, found: list[bytes], old: int, new: int) -> None:
    """Take the newline from the last line of a side, as the mark says."""
    if not cursor.next_is(b"\\ ") or len(cursor.lines[cursor.at]) < _MARK:
        raise cursor.unexpected("a mark for a missing newline")
    last = found[-1] if found else b""
    inside = (old and not last.startswith(b"+")) or (new and not last.startswith(b"-"))
    if inside or not last.endswith(b"\n") or len(last) <= len(b"+\n"):
        raise cursor.malformed("no line can lack its newline here")
    found[-1] = last[:-1]


def _refuse_ids(cursor: PatchCursor, change: FileChange) -> None:
    """Refuse object names that say something else than the header about what is there."""
    if change.binary is not None:
        none = change.binary.old_id == NO_ID, change.binary.new_id == NO_ID
        if none != (change.kind == "add", change.kind == "delete"):
            raise cursor.malformed("the index line does not fit the header", change.number)


def _refuse_twice(cursor: PatchCursor, changes: Iterable[FileChange]) -> None:
    """Refuse a file that is changed twice, but for one that goes and then comes anew."""
    made: dict[bytes, FileChange] = {}
    removed: dict[bytes, FileChange] = {}
    for change in changes:
        path, gone = change.new_path, change.removes
        twice = path in made or gone in removed
        deleted_late = change.kind == "delete" and gone in made
        if twice or deleted_late:
            raise _twice(cursor, change)
        if path is not None:
            made[path] = change
        if gone is not None:
            removed[gone] = change
    for path, change in made.items():
        if change.kind == "modify" and path in removed:
            raise _twice(cursor, change)


def _twice(cursor: PatchCursor, change: FileChange) -> Exception:
    path = change.new_path or change.old_path or b""
    return cursor.malformed(f"{names.shown(path)} is changed twice", change.number)
