r"""The fenced blocks of a Markdown document, in one pass over its bytes.

Fences begin and end where CommonMark says: three marks or more, at most three blanks before them,
an end of the same mark, at least as long and with nothing behind it. Everything between is content,
a shorter fence or an opening line too. A line ends with ``\n``; a ``\r`` before it belongs to the
end, alone it is an ordinary character. HTML is not looked at.

Every block is told, whatever its opening says, with the reason why it is not to be taken for a file
(`custody.ingest.fence_reasons`). Of other lines those are told that somebody meant to open one:
indented or quoted ones that say ``file=``, and lines in a block that would end it, but for what
stands behind their marks. Memory does not grow with the document: blocks are offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from custody.ingest.fence_info import LONGEST_INFO, Info, names_a_file, read_info
from custody.ingest.fence_lists import Lists, width

_BOM: Final = b"\xef\xbb\xbf"
_TICK, _TILDE = b"`", b"~"
_SHORTEST: Final = 3
_INDENT: Final = 3
"""Most blanks before a fence."""
_LONGEST_PREFIX: Final = 1024
_RUN = re.compile(rb"`+|~+")
_NOTHING = re.compile(rb"[ \t]*\r?")
_BLANKS = re.compile(rb"[ \t]*")
_BEFORE_QUOTED: Final = b" \t>-+*0123456789.)"
"""What may stand before a fence in a block quote: marks of quotes and of lists."""
_ITEM = re.compile(rb"[ \t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]{1,4})+")


_TOLD_BY_INFO: Final = frozenset({"quoted"})
"""Reasons of an opening that count where nothing is opened: backticks around a name forbid it."""


class Fence(NamedTuple):
    """One block, or a line that looks like the opening of one."""

    line: int
    """Of the opening, counted from 1."""
    start: int
    """Where the opening line begins."""
    begin: int
    """Where the content begins: right after the opening line."""
    end: int
    """Where the content ends: where the closing line begins."""
    marks: int
    """How many marks the opening has; 0 for a line that opens no block."""
    lang: str
    path: str
    """As written; bytes that are not UTF-8 as lone surrogates. Empty when no file is named."""
    reason: str
    """Why it names no file that can be written; empty when it has the one accepted form."""


class _Line(NamedTuple):
    """A line that holds three marks or more."""

    start: int
    mark: int
    """Where the marks begin."""
    text: int
    """Where they end."""
    end: int
    """Where the line ends, its newline not included."""


def parse_fences(data: bytes) -> Iterator[Fence]:
    """Yield the blocks of a document in the order of their openings; never raises."""
    document = _Document(data)
    at = len(_BOM) if data.startswith(_BOM) else 0
    while (line := document.next_line(at)) is not None:
        prefix = data[line.start : line.mark] if line.mark - line.start <= _LONGEST_PREFIX else b"x"
        reason, column = document.place(line, prefix)
        if reason is None:
            at = line.end + 1
        elif not document.opens(line, prefix, column):
            yield from document.mention(line, reason)
            at = line.end + 1
        elif column:
            fence, at = document.block_in_item(line, reason, column)
            yield fence
        else:
            fence, at, inner = document.block(line, reason)
            yield fence
            yield from document.nested(line, fence, inner)


class _Document:
    """The bytes, and how far they have been searched for marks and counted for lines."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._lists = Lists(data)
        self._next = {_TICK: -1, _TILDE: -1}
        self._counted = 0
        self._lines = 1

    def next_line(self, at: int) -> _Line | None:
        """Return the next line, from the one that begins ``at``, in which there are marks."""
        found = [where for mark in self._next if (where := self._find(mark, at)) < len(self.data)]
        return self._line(at, min(found)) if found else None

    def place(self, line: _Line, prefix: bytes) -> tuple[str | None, int]:
        """Return what its place says against a line, and the column of the item it lies in.

        None instead of a reason where it can be no fence at all.
        """
        if not prefix:
            return "", 0
        if not prefix.strip(b" \t"):
            return "indented", self._lists.column(line.start, width(prefix, 0, len(prefix)))
        if _ITEM.fullmatch(prefix):
            column = self._lists.column(line.end + 1, width(prefix, 0, len(prefix)))
            return ("list_item", column) if column else (None, 0)
        if b">" in prefix and not prefix.strip(_BEFORE_QUOTED):
            return "quoted_block", 0
        return None, 0

    def opens(self, line: _Line, prefix: bytes, column: int) -> bool:
        """Whether a line opens a block, where its place lets it."""
        indent = width(prefix, 0, len(prefix)) - column
        quoted = b">" in prefix
        return indent <= _INDENT and not quoted and self._may_open(line)

    def mention(self, line: _Line, reason: str) -> Iterator[Fence]:
        """Yield a line that opens no block, when it says that it wants to be a file."""
        info = self._info(line)
        text = self.data[line.text : min(line.end, line.text + LONGEST_INFO)]
        if names_a_file(text):
            plain = info.reason if info.reason in _TOLD_BY_INFO else "malformed"
            told = "control" if info.reason == "control" else reason or plain
            yield self._fence(line, line.end + 1, info, told, marks=0)

    def block(self, line: _Line, reason: str) -> tuple[Fence, int, int]:
        """Return a block of the document, where to go on, and where a nested opening stands."""
        marks = self.data[line.mark : line.text]
        at, inner = line.end + 1, -1
        while (where := self.data.find(marks, at)) >= 0:
            last = self._line(at, where)
            if self._at_margin(last):
                if _NOTHING.fullmatch(self.data, last.text, last.end):
                    self._lists.leave(last.end + 1)
                    return self._fence(line, last.start, None, reason), last.end + 1, inner
                inner = last.start if inner < 0 else inner
            at = last.end + 1
        end = len(self.data)
        return self._fence(line, end, None, reason or "unclosed"), end, inner

    def nested(self, opening: _Line, fence: Fence, at: int) -> Iterator[Fence]:
        """Yield the lines in a block, from ``at`` on, that are neither its end nor plain content.

        They are searched for again, so that they need not be kept until the end is found.
        """
        marks = self.data[opening.mark : opening.text]
        while at >= 0 and (where := self.data.find(marks, at, fence.end)) >= 0:
            line = self._line(at, where)
            if self._at_margin(line) and self._may_open(line):
                info = self._info(line)
                reason = "nested" if line.start == fence.begin else "malformed"
                yield self._fence(line, line.end + 1, info, reason, marks=0)
            at = line.end + 1

    def block_in_item(self, line: _Line, reason: str, column: int) -> tuple[Fence, int]:
        """Return a block in an item of a list, which ends with the item, and where to go on."""
        data = self.data
        at = line.end + 1
        end, following = len(data), len(data)
        while at < len(data):
            stop = data.find(b"\n", at) % (len(data) + 1)
            text = _end_of_blanks(data, at, stop)
            if not _NOTHING.fullmatch(data, text, stop):
                indent = width(data, at, text)
                if indent < column:
                    end = following = at
                    break
                if indent - column <= _INDENT and self._ends(line, text, stop):
                    end, following = at, stop + 1
                    break
            at = stop + 1
        self._lists.go_on(following)
        return self._fence(line, end, None, reason), following

    def _ends(self, opening: _Line, text: int, stop: int) -> bool:
        marks = self.data[opening.mark : opening.text]
        if not self.data.startswith(marks, text, stop):
            return False
        run = _RUN.match(self.data, text, stop)
        return run is not None and _NOTHING.fullmatch(self.data, run.end(), stop) is not None

    def _find(self, mark: bytes, at: int) -> int:
        if self._next[mark] < at:
            found = self.data.find(mark * _SHORTEST, at)
            self._next[mark] = len(self.data) if found < 0 else found
        return self._next[mark]

    def _line(self, at: int, mark: int) -> _Line:
        """Return the line of a mark; ``at`` is where this line or one before it begins."""
        start = max(self.data.rfind(b"\n", at, mark) + 1, at)
        run = _RUN.match(self.data, mark)
        text = run.end() if run else mark
        end = self.data.find(b"\n", text) % (len(self.data) + 1)
        return _Line(start, mark, text, end)

    def _at_margin(self, line: _Line) -> bool:
        indent = line.mark - line.start
        return indent <= _INDENT and not self.data[line.start : line.mark].strip(b" ")

    def _may_open(self, line: _Line) -> bool:
        """Whether what stands behind the marks lets them open a block."""
        ticks = self.data[line.mark] == ord(_TICK)
        return not ticks or self.data.find(_TICK, line.text, line.end) < 0

    def _info(self, line: _Line) -> Info:
        if line.end - line.text > LONGEST_INFO:
            return Info("", "", "malformed")
        text = self.data[line.text : line.end]
        return read_info(text.removesuffix(b"\r"))

    def _fence(
        self, line: _Line, end: int, info: Info | None, reason: str, *, marks: int = -1
    ) -> Fence:
        """Return what is known of a block; of several reasons that of its place comes first."""
        info = info or self._info(line)
        tilde = self.data[line.mark] == ord(_TILDE)
        placed = "tilde" if tilde and reason in {"", "unclosed"} else reason
        if placed == "unclosed":
            placed = "" if info.reason else placed
        self._lines += self.data.count(b"\n", self._counted, line.start)
        self._counted = line.start
        begin = min(line.end + 1, len(self.data))
        return Fence(
            line=self._lines,
            start=line.start,
            begin=begin,
            end=max(min(end, len(self.data)), begin),
            marks=line.text - line.mark if marks < 0 else marks,
            lang=info.lang,
            path=info.path,
            reason=placed or info.reason,
        )


def _end_of_blanks(data: bytes, start: int, end: int) -> int:
    found = _BLANKS.match(data, start, end)
    return found.end() if found else start
