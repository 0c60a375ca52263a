"""The end of a content as an excerpt: of a log, the last lines tell more than the first."""

from __future__ import annotations

from custody.evidence.excerpt import Quote, quote
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES

_MOST_BYTES = 4 * EXCERPT_CHARACTERS
_UTF8_CONTINUES = range(0x80, 0xC0)
_LONGEST_CHARACTER = 4
_ESCAPES = "surrogateescape"


def last_lines(data: bytes) -> Quote:
    """Return the last lines of a content, empty ones at its end left out, whole if possible.

    Only a last line that alone is too long is cut within, between two characters.
    """
    stop = min(len(data), len(data.rstrip(b"\n")) + 1)
    begin = max(0, stop - _MOST_BYTES)
    for _ in range(_LONGEST_CHARACTER - 1):
        if begin and begin < stop and data[begin] in _UTF8_CONTINUES:
            begin += 1
    text = data[begin:stop].decode(errors=_ESCAPES)
    return quote(data, begin + len(text[: _start(text)].encode(errors=_ESCAPES)), stop)


def _start(text: str) -> int:
    """Return where the last lines begin, as many as an excerpt holds."""
    at = len(text) - text.endswith("\n")
    for _ in range(EXCERPT_LINES):
        at = text.rfind("\n", 0, max(at, 0))
        if at < 0:
            break
    longest = len(text) - EXCERPT_CHARACTERS
    if at + 1 >= longest:
        return at + 1
    following = text.find("\n", longest - 1) + 1
    return following if 0 < following < len(text) else longest
