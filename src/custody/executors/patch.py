"""Unified diffs as git writes them, read and applied strictly: no fuzz, no offset.

Texts are changed, made and deleted. Renames, copies, changes of mode and binary patches are
refused: whoever means them can say so by the files themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from custody.errors import MalformedDocument
from custody.model import layout

_START = re.compile(r"diff --git (\S+) (\S+)")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_REFUSED = (
    "rename ", "copy ", "old mode", "new mode", "similarity", "dissimilarity", "GIT binary",
    "Binary files",
)  # fmt: skip
NO_FILE = "/dev/null"
NO_NEWLINE = "\\"


class Hunk(NamedTuple):
    """A piece of a file before and after; every line with its end."""

    start: int
    """The first line of the piece before, counted from 0."""
    before: tuple[str, ...]
    after: tuple[str, ...]


class FilePatch(NamedTuple):
    """What a patch does to one file."""

    path: str
    """As written, without the leading ``a/`` or ``b/``."""
    creates: bool
    deletes: bool
    hunks: tuple[Hunk, ...]

    def apply(self, content: str) -> str:
        """Return the content after the patch; raises `MalformedDocument` when it differs."""
        lines = content.splitlines(keepends=True) if content else []
        done: list[str] = []
        at = 0
        for hunk in self.hunks:
            end = hunk.start + len(hunk.before)
            if hunk.start < at or tuple(lines[hunk.start : end]) != hunk.before:
                raise _wrong(f"{self.path} does not hold what line {hunk.start + 1} expects")
            done += lines[at : hunk.start]
            done += hunk.after
            at = end
        return "".join(done + lines[at:])


def read_patch(text: str) -> tuple[FilePatch, ...]:
    """Return the files of a patch; raises `MalformedDocument`."""
    if not text.startswith("diff --git "):
        raise _wrong("a patch starts with 'diff --git'")
    return tuple(_read_file(part) for part in _parts(text))


def _parts(text: str) -> Iterator[list[str]]:
    part: list[str] = []
    for line in text.split("\n"):
        if line.startswith("diff --git ") and part:
            yield part
            part = []
        part.append(line)
    yield part


def _read_file(lines: list[str]) -> FilePatch:
    names = _START.fullmatch(lines[0])
    if names is None:
        raise _wrong(f"no two names in {lines[0]!r}")
    at = 1
    old, new = _plain(names[1]), _plain(names[2])
    while at < len(lines) and not lines[at].startswith("@@"):
        line = lines[at]
        if line.startswith(_REFUSED):
            raise _wrong(f"{line!r} is not supported")
        if line.startswith("--- "):
            old = _plain(line[4:])
        elif line.startswith("+++ "):
            new = _plain(line[4:])
        elif line.startswith("new file mode "):
            old = NO_FILE
        elif line.startswith("deleted file mode "):
            new = NO_FILE
        at += 1
    path = old if new == NO_FILE else new
    if NO_FILE not in {old, new} and old != new:
        raise _wrong(f"{old} becomes {new}: renames are not supported")
    return FilePatch(path, old == NO_FILE, new == NO_FILE, tuple(_hunks(lines[at:])))


def _plain(name: str) -> str:
    name = name.split("\t", maxsplit=1)[0]
    return name[2:] if name.startswith(("a/", "b/")) else name


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    at = 0
    while at < len(lines):
        head = _HUNK.match(lines[at])
        if head is None:
            if lines[at]:
                raise _wrong(f"unexpected line {lines[at]!r}")
            at += 1
            continue
        wanted = int(head[2] or 1), int(head[4] or 1)
        at, before, after = _body(lines, at + 1, wanted)
        yield Hunk(max(0, int(head[1]) - (1 if wanted[0] else 0)), before, after)


def _body(
    lines: list[str], at: int, wanted: tuple[int, int]
) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    sides: dict[str, list[str]] = {"-": [], "+": []}
    marks = {" ": "-+", "-": "-", "+": "+"}
    last = ""
    while at < len(lines):
        line = lines[at]
        if line.startswith(NO_NEWLINE):
            for side in last:
                sides[side][-1] = sides[side][-1].removesuffix("\n")
        elif (len(sides["-"]), len(sides["+"])) == wanted:
            break
        else:
            last = marks.get(line[:1], "")
            if not last:
                raise _wrong(f"unexpected line {line!r} in a hunk")
            for side in last:
                sides[side].append(f"{line[1:]}\n")
        at += 1
    if (len(sides["-"]), len(sides["+"])) != wanted:
        raise _wrong("a hunk is not as long as it says")
    return at, tuple(sides["-"]), tuple(sides["+"])


def _wrong(what: str) -> MalformedDocument:
    return MalformedDocument("patch", what, where=layout.RESPONSE)
