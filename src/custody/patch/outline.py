r"""Where the files and hunks of a diff begin, found without judging it.

`read_patch` decides what a patch does, and refuses what it cannot be sure of. This tells what the
parts of any diff are about, for those who only read it: one with a message above it, without its
binary data, of Subversion, of a merge, cut off. Of a diff that `read_patch` accepts, both say the
same.

A line that belongs to a hunk begins with its mark, so nothing in it looks like the head of another
part, but for ``--- ``, which may be a line that was removed: there the lines of the hunk count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from custody.patch import names
from custody.patch.git_header import GIT
from custody.patch.plain_header import NO_FILE, OLD

_HEAD = re.compile(
    rb"^(?:diff --(?:git|cc|combined) |Index: |--- (?=[^\n]*\n\+\+\+ )|@@+ -"
    rb"|commit [0-9a-f]{7,64}\b)",
    re.MULTILINE,
)
_RANGES = re.compile(rb"@@ -[0-9]+(?:,([0-9]{1,9}))? \+[0-9]+(?:,([0-9]{1,9}))? @@")
_HEADING = re.compile(rb"(@@+) -[^@\n]* \1 ?([^\n\r]*)")
_RULE = re.compile(rb"=+\r?\n")
_TO = re.compile(rb"^(?:rename|copy) to ([^\n]*)", re.MULTILINE)
_BELOW = re.compile(rb"^--- ([^\n]*)\n\+\+\+ ([^\n]*)", re.MULTILINE)
_INDEX, _COMMIT, _HUNK, _MERGE = b"Index: ", b"commit ", b"@@", b"diff --c"


class Part(NamedTuple):
    """A part of a diff; it ends where the next one begins."""

    begin: int
    """Its first byte."""
    path: bytes
    """The file that it is about; empty above and between the files."""
    hunk: bool = False
    """Whether it begins with the head of a hunk."""
    heading: bytes = b""
    """What stands behind the ranges of a hunk: the function that it is in."""


def outline(data: bytes) -> Iterator[Part]:
    """Yield the parts of a diff, in order; together they are the diff."""
    heads = list(_heads(data))
    if not heads or heads[0].start():
        yield from (Part(0, b""),) if data else ()
    path = b""
    for head, after in zip_longest(heads, heads[1:]):
        begin, mark = head.start(), head[0]
        if mark.startswith(_HUNK):
            found = _HEADING.match(data, begin)
            yield Part(begin, path, hunk=True, heading=found[2] if found else b"")
        else:
            end = after.start() if after else len(data)
            path = b"" if mark.startswith(_COMMIT) else _path(data[begin:end])
            yield Part(begin, path)


def _heads(data: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the heads of files and hunks, without those that only look like one."""
    file: re.Match[bytes] | None = None
    hunk: _Hunk | None = None
    for head in _HEAD.finditer(data):
        mark = head[0]
        if mark.startswith(_HUNK):
            hunk = _Hunk(data, head.start())
        elif mark == OLD:
            in_header = file is not None and hunk is None and file[0] != OLD
            if in_header or (hunk is not None and not hunk.is_over(head.start())):
                continue
            file, hunk = head, None
        elif mark == GIT and file is not None and hunk is None and _follows(data, file, head):
            continue
        else:
            file, hunk = (None if mark.startswith(_COMMIT) else head), None
        yield head


class _Hunk:
    """How many lines a hunk still needs; each of them is looked at once."""

    def __init__(self, data: bytes, begin: int) -> None:
        ranges = _RANGES.match(data, begin)
        counts = ranges.groups() if ranges else (b"0", b"0")
        self._old, self._new = (1 if count is None else int(count) for count in counts)
        self._data = data
        self._at = data.find(b"\n", begin) + 1 or len(data)

    def is_over(self, end: int) -> bool:
        """Whether it has as many lines up to a byte as its head says."""
        for line in self._data[self._at : end].split(b"\n")[:-1]:
            mark = line[:1]
            self._old -= mark in {b"", b" ", b"-"}
            self._new -= mark in {b"", b" ", b"+"}
        self._at = end
        return self._old <= 0 and self._new <= 0


def _follows(data: bytes, file: re.Match[bytes], head: re.Match[bytes]) -> bool:
    """Whether ``diff --git`` stands below the ``Index:`` line of the same file."""
    rule = data.find(b"\n", file.end()) + 1
    return file[0] == _INDEX and _RULE.fullmatch(data, rule, head.start()) is not None


def _path(header: bytes) -> bytes:
    """Return the file that a header is about: the new one, or the old one of a deletion."""
    line, _, _ = header.partition(b"\n")
    if line.startswith(_INDEX):
        return line.removeprefix(_INDEX).rstrip(b"\r")
    if line.startswith(_MERGE):
        return _plain(line.split(b" ", 2)[2])
    if (to := _TO.search(header)) is not None:
        return _plain(to[1])
    if (below := _BELOW.search(header)) is not None:
        old, new = (text.partition(b"\t")[0] for text in below.groups())
        name = _plain(old if new == NO_FILE else new)
        return names.without_prefix(name) or name
    rest = line.removeprefix(GIT)
    return (names.pair(rest, None) or (b"", rest))[1]


def _plain(text: bytes) -> bytes:
    return names.plain(text) or text
