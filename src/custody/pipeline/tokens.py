"""The words of the pipeline language, and where each of them stands.

A token is a bare word, a quoted text, a mark such as ``->``, or the end. Blanks, ``//`` and
``/* */`` comments and lines that begin with ``#`` stand between tokens. A text that is never
closed ends the scan: nothing behind it could be told from its content.

Every pattern is possessive, so a text of n characters costs n, whatever it holds. Before 3.11.5
Python goes on behind what the last try of a repeated group has passed, even if that try failed.
So no group here passes anything before it fails, and ``//`` is tried where ``/*`` failed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

from custody.model.graph import SourcePosition
from custody.patterns import later

WORD: Final = "word"
TEXT: Final = "text"
END: Final = "end"
ODD: Final = "odd"
"""A character that no token begins with."""

_BLANK = r"(?:^[ \t\r]*+\#[^\n]*+|[ \t\r]++|\n++|/\*.*?\*/|//[^\n]*+)*+"
_REST = r"[A-Za-z0-9_.]*+(?:-[A-Za-z0-9_.][A-Za-z0-9_.]*+)*+(?:-(?![>-]))?"
"""What follows the first character of a bare word."""
_BARE = rf"(?:-(?=[0-9.]))?[A-Za-z0-9_.]{_REST}"
_QUOTED = r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
_FLAGS = re.DOTALL | re.MULTILINE

_next: Callable[[str, int], re.Match[str]] = re.compile(
    rf"{_BLANK}(?:({_BARE})|{_QUOTED}|(->|--|[][{{}}=,;:+<])|(\Z)|([^\x00-\x7f]++|.))", _FLAGS
).match  # type: ignore[assignment]  # one of its branches always matches
_WORD, _TEXT, _MARK, _END, _ODD = range(1, 6)
_KINDS = ("", WORD, TEXT, "", END, ODD)

match_attribute: Final = re.compile(
    rf"{_BLANK}([A-Za-z_]{_REST}){_BLANK}={_BLANK}(?:({_BARE})|{_QUOTED}){_BLANK}([],;])",
    _FLAGS,
).match
"""One whole attribute with what ends it: its name, a bare or a quoted value, and the mark.

Four tokens at once, which halves the time of a large file. What does not match is read token
by token, so that the finding can say what is wrong.
"""

_ESCAPE = later(r'\\(["\\nt])')
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_ANGLE = later("[<>]")


def unescape(text: str) -> str:
    r"""Return a quoted text's value: ``\"``, ``\\``, ``\n``, ``\t``; other backslashes stay."""
    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text) if "\\" in text else text


class Tokenizer:
    """One token at a time: ``kind`` and ``value`` of the current one, ``start`` its offset.

    The kind of a mark is the mark. ``end`` is the offset behind the token.
    """

    __slots__ = ("_lines", "before", "behind", "end", "failure", "kind", "start", "text", "value")

    def __init__(self, text: str) -> None:
        self.text = text
        self.before = self.behind = 0
        """Where the token before began and ended."""
        self.start = self.end = 0
        self.kind: str = ODD
        self.value = ""
        self.failure: tuple[int, str] | None = None
        """What ended the scan too early, and where that began."""
        self._lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.advance()

    def advance(self) -> None:
        """Go on to the next token; at the end it stays there."""
        match = _next(self.text, self.end)
        index = match.lastindex or _END
        self.before, self.behind, self.end = self.start, self.end, match.end()
        self.value = value = match[index]
        self.kind = value if index == _MARK else _KINDS[index]
        self.start = match.start(index)
        if index == _TEXT:
            self.start -= 1
            self.value = unescape(value)
        elif index == _ODD:
            self._refuse_unclosed()

    def go_to(self, offset: int) -> None:
        """Make the token at or behind ``offset`` the current one."""
        self.end = offset
        self.advance()

    def stop(self, offset: int, reason: str) -> None:
        """End the scan because of what began at ``offset``."""
        self.failure = self.failure or (offset, reason)
        self.go_to(len(self.text))

    def skip_html(self) -> None:
        """Go behind the ``>`` that closes the current ``<``."""
        opened, depth = self.start, 0
        for angle in _ANGLE.finditer(self.text, opened):
            depth += 1 if angle[0] == "<" else -1
            if depth == 0:
                return self.go_to(angle.end())
        return self.stop(opened, "'<' is not closed")

    def next_kind(self) -> str:
        """Return the kind of the token behind the current one."""
        match = _next(self.text, self.end)
        index = match.lastindex or _END
        return match[index] if index == _MARK else _KINDS[index]

    @property
    def begins_line(self) -> bool:
        """Whether a line break stands between the token before and this one."""
        return self.text.find("\n", self.behind, self.start) >= 0

    def position(self, offset: int) -> SourcePosition:
        """Return the line and column of ``offset``."""
        line = bisect_right(self._lines, offset)
        return SourcePosition(line=line, column=offset - self._lines[line - 1] + 1)

    def _refuse_unclosed(self) -> None:
        if self.value == '"':
            self.stop(self.start, "this string is not closed")
        elif self.text.startswith("/*", self.start):
            self.stop(self.start, "this comment is not closed")
