"""Whether an indented line of a Markdown document lies in an item of a list.

A fence that is indented by up to three blanks is one of the document itself, or one of a list's
item, which ends with the item. Only documents that hold such fences are looked at here.
"""

from __future__ import annotations

import re
from typing import Final

_MARKER = re.compile(rb"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\r\n]|\Z)")
_THEMATIC = re.compile(rb"[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}\r?(?:\n|\Z)")
_INTERRUPTS = re.compile(rb" {0,3}(?:>|#{1,6}(?=[ \t\r\n]|\Z))")
"""What ends a paragraph without a blank line: a block quote, a heading."""
_BLANKS = re.compile(rb"[ \t]*")
_PLAIN_START = re.compile(rb"[^\s\-+*0-9]")
_TAB: Final = 4
_MOST_AFTER_MARKER: Final = 4
"""Blanks after a marker that belong to it; with more, what follows is indented code."""


class Lists:
    """The open items of lists at a place that only moves on."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        """Where a line begins; all lines before it were looked at, or do not matter."""
        self._items: list[int] = []
        """Columns where the contents of the open items begin, outermost first."""
        self._in_paragraph = False

    def column(self, start: int, indent: int) -> int:
        """Return where the content of the item begins that a line lies in; 0 when in none."""
        self._look_at_lines(start)
        return max((column for column in self._items if column <= indent), default=0)

    def leave(self, at: int) -> None:
        """Go on at a line after a block that belongs to no item."""
        self._items.clear()
        self.go_on(at)

    def go_on(self, at: int) -> None:
        """Go on at a line after a block."""
        self._at, self._in_paragraph = at, False

    def _look_at_lines(self, stop: int) -> None:
        at = self._last_break(stop)
        if at > self._at:
            self.leave(at)
        while self._at < stop:
            end = self._data.find(b"\n", self._at, stop) + 1 or stop
            self._look_at(self._at, end)
            self._at = end

    def _last_break(self, stop: int) -> int:
        """Return the last line before ``stop`` that certainly lies in no item."""
        at = stop
        while (at := self._data.rfind(b"\n\n", self._at, at)) >= 0:
            if _PLAIN_START.match(self._data, at + 2, stop):
                return at + 2
        return self._at

    def _look_at(self, start: int, end: int) -> None:
        text = _blanks_end(self._data, start, end)
        if not self._data[text : min(end, text + 2)].strip():
            self._in_paragraph = False
            return
        indent = width(self._data, start, text)
        thematic = _THEMATIC.match(self._data, start, end)
        marker = None if thematic else _MARKER.match(self._data, start, end)
        interrupts = marker or thematic or _INTERRUPTS.match(self._data, start, end)
        if self._in_paragraph and not interrupts:
            return  # such a line goes on with the paragraph of an item, however it is indented
        while self._items and self._items[-1] > indent:
            self._items.pop()
        at = start
        while marker:
            column, at = _content(self._data, start, marker.end(), end)
            self._items.append(column)
            marker = _MARKER.match(self._data, at, end) if at else None
        self._in_paragraph = True


def width(data: bytes, start: int, end: int) -> int:
    """Return how many columns blanks and tabs take, or anything else from ``start`` on."""
    if data.find(b"\t", start, end) < 0:
        return end - start
    columns = 0
    for character in data[start:end]:
        columns += _TAB - columns % _TAB if character == ord("\t") else 1
    return columns


def _blanks_end(data: bytes, start: int, end: int) -> int:
    found = _BLANKS.match(data, start, end)
    return found.end() if found else start


def _content(data: bytes, start: int, marker_end: int, end: int) -> tuple[int, int]:
    """Return the column where an item's content begins, and its place; 0 where it has none."""
    text = _blanks_end(data, marker_end, end)
    marker = width(data, start, marker_end)
    blanks = width(data, start, text) - marker
    if blanks > _MOST_AFTER_MARKER or not data[text : min(end, text + 2)].strip():
        return marker + 1, 0
    return marker + blanks, text
