"""Reads pieces of an open file, and no more of it than it must.

Text is UTF-8; bytes that are none become U+FFFD, each as Python's decoder finds it. That never
makes a text shorter, so a file need not be read beyond the bytes that there is room for. A line
ends with a line feed and with nothing else: CRLF stays as it is.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_CHUNK = 1 << 18
SCAN_LIMIT = 256 << 20
"""Most bytes that are searched for line ends."""


class Excerpt(NamedTuple):
    """A piece of a file."""

    text: str
    size: int
    """Of the text in UTF-8."""
    cut: bool = False
    """Whether more of the file follows that was wanted."""
    lines: tuple[int, int] = (0, 0)
    """First and last line of it; zeros for a whole file."""


class NoRoom(Exception):
    """What is wanted takes more bytes than there are."""


class TooFar(Exception):
    """The lines lie further behind than anybody searches."""


def beginning(descriptor: int, size: int, room: int) -> Excerpt:
    """Return as much of a file's beginning as takes ``room`` bytes, cut between characters."""
    if size <= room:
        data = _read(descriptor, 0, size)
        text = data.decode(errors="replace")
    else:
        data = _read(descriptor, 0, room)
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
    encoded = data if data.isascii() else text.encode()
    if len(encoded) <= room:
        return Excerpt(text, len(encoded), cut=size > room)
    kept = encoded[:room].decode(errors="ignore")
    return Excerpt(kept, len(kept.encode()), cut=True)


def measured(descriptor: int, keep: int) -> Excerpt:
    """Return a whole file with its size as a text; the text is empty when that is over ``keep``."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces, size = list[str](), 0
    for chunk in _chunks(descriptor):
        piece = decoder.decode(chunk)
        size += len(chunk) if chunk.isascii() and len(piece) == len(chunk) else len(piece.encode())
        if size <= keep:
            pieces.append(piece)
        else:
            pieces.clear()
    rest = decoder.decode(b"", final=True)
    size += len(rest.encode())
    return Excerpt("".join((*pieces, rest)) if size <= keep else "", size)


def lines(descriptor: int, ranges: Sequence[tuple[int, int]], room: int) -> list[Excerpt]:
    """Return the lines of each range, clamped to the lines that there are.

    A range past the end gives the last line, and of an empty file nothing. Raises `NoRoom` when
    all of them together take more than ``room`` bytes, and `TooFar`.
    """
    wanted = [(max(first, 1), max(last, 1)) for first, last in ranges]
    index = _Index(descriptor, wanted, room)
    found, left = list[Excerpt](), room
    for first, last in wanted:
        begin, end, numbers = index.place(first, last)
        if end - begin > left:
            raise NoRoom
        text = _read(descriptor, begin, end - begin).decode(errors="replace")
        encoded = len(text.encode())
        if encoded > left:
            raise NoRoom
        left -= encoded
        found.append(Excerpt(text, encoded, lines=numbers))
    return found


class _Index:
    """Where the lines begin that somebody wants, found in one pass that ends behind the last."""

    def __init__(self, descriptor: int, wanted: Iterable[tuple[int, int]], room: int) -> None:
        self._wanted = tuple(wanted)
        self._room = room
        self._starts = {1: 0}
        self._line = 1
        """That of the last line feed, and one more."""
        self._last = (0, 0)
        """Where the last line begins, and the one before it."""
        self._size = 0
        self._ended = self._search(descriptor)

    def place(self, first: int, last: int) -> tuple[int, int, tuple[int, int]]:
        """Return where the bytes of a range begin and end, and the lines that they are."""
        if not self._ended:
            return self._starts[first], self._starts[last + 1], (first, last)
        begin, before = self._last
        count = self._line
        if begin == self._size:  # the file ends with a line feed, or is empty
            begin, count = before, count - 1
        if first >= count:
            return begin, self._size, (count, count)
        end = self._starts.get(last + 1, self._size) if last < count else self._size
        return self._starts[first], end, (first, min(last, count))

    def _search(self, descriptor: int) -> bool:
        """Look for the lines; whether the file ended before all were found."""
        marks = sorted({mark for first, last in self._wanted for mark in (first, last + 1)})
        marks = [mark for mark in reversed(marks) if mark > 1]
        if not marks:
            return False
        for chunk in _chunks(descriptor):
            self._note(chunk, marks)
            self._size += len(chunk)
            if not marks:
                return False
            if self._is_too_much():
                raise NoRoom
            if self._size >= SCAN_LIMIT:
                raise TooFar
        return True

    def _note(self, chunk: bytes, marks: list[int]) -> None:
        """Note where the next wanted lines begin; ``marks`` has the nearest at its end."""
        count = chunk.count(b"\n")
        place, line = -1, self._line
        while marks and marks[-1] <= self._line + count:
            while line < marks[-1]:
                place = chunk.index(b"\n", place + 1)
                line += 1
            self._starts[marks.pop()] = self._size + place + 1
        if count:
            end = chunk.rindex(b"\n")
            before = chunk.rfind(b"\n", 0, end)
            above = self._size + before + 1 if before >= 0 else self._last[0]
            self._last = (self._size + end + 1, above)
        self._line += count

    def _is_too_much(self) -> bool:
        """Whether some range that has begun and not ended is longer than there is room."""
        begun = (
            self._starts[first]
            for first, last in self._wanted
            if first in self._starts and last + 1 not in self._starts
        )
        return self._size - min(begun, default=self._size) > self._room


def _chunks(descriptor: int) -> Iterator[bytes]:
    place = 0
    while chunk := os.pread(descriptor, _CHUNK, place):
        place += len(chunk)
        yield chunk


def _read(descriptor: int, place: int, size: int) -> bytes:
    data = os.pread(descriptor, size, place)
    while len(data) < size and (more := os.pread(descriptor, size - len(data), place + len(data))):
        data += more
    return data
