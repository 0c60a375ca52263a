"""Writes what changed as a patch that ``git apply --binary`` turns into exactly that.

A text is told by hunks, everything else as binary data with the way back. A file that becomes a
symlink, or one that becomes a file, goes and comes anew, as git tells it. What git cannot hold is
no part of a patch: folders, permissions other than the owner's to execute, ``.git``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from custody.model.change import Change, Entry
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, names
from custody.patch.binary import NO_ID, object_id, write_binary
from custody.patch.git_header import GIT
from custody.patch.lines import Region, differences, split_lines
from custody.patch.plain_header import HUNK, NEW, NO_FILE, OLD

CONTEXT = 3
"""How many lines around a change are shown."""
_SHORT = 12
"""How much of an object's name stands above a text."""
_NO_NEWLINE = b"\n\\ No newline at end of file\n"


class Side(NamedTuple):
    """A file before or after."""

    mode: int
    sha256: str
    content: bytes | None
    """None when it is not at hand: then the patch can only say that there is a difference."""


def write_change(change: Change, before: bytes | None, after: bytes | None) -> bytes:
    """Return what happened to one path as a part of a patch; empty when git cannot tell it.

    The contents are those of the entries, for symlinks their targets.
    """
    path = change.path.encode(errors="surrogateescape")
    old, new = _side(change.before, before), _side(change.after, after)
    if old is not None and new is not None and (old.mode == SYMLINK) != (new.mode == SYMLINK):
        return _section(path, old, None) + _section(path, None, new)
    return _section(path, old, new)


def _side(entry: Entry | None, content: bytes | None) -> Side | None:
    if entry is None or entry.kind not in {"file", "symlink"}:
        return None
    mode = EXECUTABLE if entry.mode & 0o100 else REGULAR
    return Side(SYMLINK if entry.kind == "symlink" else mode, entry.sha256, content)


def _section(path: bytes, old: Side | None, new: Side | None) -> bytes:
    holds = all(names.can_hold(path, side.mode) for side in (old, new) if side is not None)
    if not holds or (old is None and new is None):
        return b""
    header = _modes(old, new)
    same = old is not None and new is not None and old.sha256 == new.sha256
    body = b"" if same else _body(path, old, new)
    if not header and not body:
        return b""
    return GIT + _named(b"a/", path) + b" " + _named(b"b/", path) + b"\n" + header + body


def _modes(old: Side | None, new: Side | None) -> bytes:
    if old is None or new is None:
        side = new if old is None else old
        word = b"new" if old is None else b"deleted"
        return b"" if side is None else b"%s file mode %o\n" % (word, side.mode)
    return b"" if old.mode == new.mode else b"old mode %o\nnew mode %o\n" % (old.mode, new.mode)


def _body(path: bytes, old: Side | None, new: Side | None) -> bytes:
    before, after = (b"" if side is None else side.content for side in (old, new))
    old_name = NO_FILE if old is None else _named(b"a/", path)
    new_name = NO_FILE if new is None else _named(b"b/", path)
    if before is None or after is None:
        return b"Binary files %s and %s differ\n" % (old_name, new_name)
    is_text = b"\0" not in before and b"\0" not in after
    index = _index(old, new, _SHORT if is_text else len(NO_ID))
    if not is_text:
        return index + write_binary(before, after)
    hunks = b"".join(_hunks(split_lines(before), split_lines(after)))
    if not hunks:
        return index
    tab = b"\t" if b" " in path else b""
    ends = tuple(b"" if name == NO_FILE else tab for name in (old_name, new_name))
    heads = OLD + old_name + ends[0] + b"\n" + NEW + new_name + ends[1] + b"\n"
    return index + heads + hunks


def _index(old: Side | None, new: Side | None, length: int) -> bytes:
    before, after = (
        NO_ID if side is None or side.content is None else object_id(side.content)
        for side in (old, new)
    )
    line = b"index %s..%s" % (before[:length].encode(), after[:length].encode())
    same = old is not None and new is not None and old.mode == new.mode
    return line + (b" %o\n" % old.mode if same and old is not None else b"\n")


def _named(prefix: bytes, path: bytes) -> bytes:
    return names.quote(prefix + path)


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the differences of two texts, those that are near each other as one."""
    group: list[Region] = []
    for region in differences(old, new):
        if group and region.old - group[-1].old_end > 2 * CONTEXT:
            yield _hunk(old, new, group)
            group = []
        group.append(region)
    if group:
        yield _hunk(old, new, group)


def _hunk(old: Sequence[bytes], new: Sequence[bytes], group: Sequence[Region]) -> bytes:
    lead = min(CONTEXT, group[0].old)
    tail = min(CONTEXT, len(old) - group[-1].old_end)
    start, end = group[0].old - lead, group[-1].old_end + tail
    there, there_end = group[0].new - lead, group[-1].new_end + tail
    lines: list[bytes] = []
    at = start
    for region in group:
        lines += _marked(b" ", old[at : region.old])
        lines += _marked(b"-", old[region.old : region.old_end])
        lines += _marked(b"+", new[region.new : region.new_end])
        at = region.old_end
    lines += _marked(b" ", old[at:end])
    ranges = _range(start, end) + b" +" + _range(there, there_end)
    return HUNK + ranges + b" @@\n" + b"".join(lines)


def _marked(mark: bytes, lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield mark + line if line.endswith(b"\n") else mark + line + _NO_NEWLINE


def _range(start: int, end: int) -> bytes:
    count = end - start
    return b"%d" % (start + 1) if count == 1 else b"%d,%d" % (start + (count > 0), count)
