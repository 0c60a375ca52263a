r"""Quotes: taken from a content, and found in it again, byte for byte.

A byte that is no UTF-8 is quoted as U+FFFD, each by itself, so a quote of such bytes has as many
characters as they are bytes, and stands wherever bytes read like that. A line ends with ``\n`` and
with nothing else.
"""

from __future__ import annotations

from custody.model.record import Record
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES
from custody.patterns import later

Range = tuple[int, int]

_NO_TEXT = later("[\udc80-\udcff]")
_ESCAPES = "surrogateescape"
_UNKNOWN = "\ufffd"
_MOST_BYTES = 4 * EXCERPT_CHARACTERS


class Quote(Record, frozen=True):
    """A piece of a content, with its place."""

    excerpt: str
    bytes: Range
    """Where it begins, and the byte after its end."""
    lines: Range
    """The first and the last line that it touches, counted from one."""


def as_text(data: bytes) -> str:
    """Return bytes as they are quoted."""
    text = data.decode(errors=_ESCAPES)
    return text if text.isascii() else _NO_TEXT.sub(_UNKNOWN, text)


def quote(data: bytes, begin: int = 0, end: int | None = None) -> Quote:
    """Return a piece of a content, no more of it than an excerpt may be; see `longest`."""
    stop = longest(data, begin, len(data) if end is None else end)
    return Quote(
        excerpt=as_text(data[begin:stop]), bytes=(begin, stop), lines=lines_of(data, begin, stop)
    )


def longest(data: bytes, begin: int, end: int) -> int:
    """Return where the longest excerpt ends that begins and ends between two bytes.

    It holds whole lines; only one that alone is too long is cut within, between two characters.
    """
    stop = min(end, begin + _MOST_BYTES)
    text = data[begin:stop].decode(errors=_ESCAPES)
    at = _end_of_lines(text)
    is_cut = at == len(text) and stop < end
    if at > EXCERPT_CHARACTERS or is_cut:
        at = text.rfind("\n", 0, EXCERPT_CHARACTERS) + 1 or EXCERPT_CHARACTERS
    return begin + len(text[:at].encode(errors=_ESCAPES))


def lines_of(data: bytes, begin: int, end: int) -> Range:
    """Return the lines that a piece touches; its last newline touches none after it."""
    first = data.count(b"\n", 0, begin) + 1
    return first, first + data.count(b"\n", begin, max(begin, end - 1))


def stands_at(data: bytes, excerpt: str, place: Range) -> bool:
    """Whether an excerpt is what stands at a place, no more and no less."""
    begin, end = place
    return 0 <= begin <= end <= len(data) and as_text(data[begin:end]) == excerpt


def find(data: bytes, excerpt: str, begin: int = 0) -> Range | None:
    """Return the first place of an excerpt from a byte on; None when it stands nowhere."""
    if _UNKNOWN not in excerpt:
        try:
            sought = excerpt.encode()
        except UnicodeEncodeError:
            return None  # half a surrogate pair, which is no text
        at = data.find(sought, begin)
        return None if at < 0 else (at, at + len(sought))
    text = data[begin:].decode(errors=_ESCAPES)
    first = _NO_TEXT.sub(_UNKNOWN, text).find(excerpt)
    if first < 0:
        return None
    at = begin + len(text[:first].encode(errors=_ESCAPES))
    return at, at + len(text[first : first + len(excerpt)].encode(errors=_ESCAPES))


def begin_of_line(data: bytes, number: int) -> int | None:
    """Return where a line begins, counted from one; None when there are not as many."""
    at = 0
    for _ in range(number - 1):
        at = data.find(b"\n", at) + 1
        if not at:
            return None
    return at


def _end_of_lines(text: str) -> int:
    """Return where as many lines end as an excerpt may have; the end of the text if it has less."""
    at = 0
    for _ in range(EXCERPT_LINES):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at
