"""A patch as lines, and the place in it where the reader is."""

from __future__ import annotations

from custody.errors import MalformedDocument
from custody.patch import LIMIT

_SHOWN = 60
"""How much of a line a message shows."""


class PatchCursor:
    """The lines of a patch, one after the other."""

    def __init__(self, data: bytes, where: str) -> None:
        self.lines = data.split(b"\n")
        self.at = 0
        """Which line is next, counted from 0."""
        self._where = where
        self._room = LIMIT
        if self.lines.pop():
            self.at = len(self.lines)
            raise self.malformed("it does not end with a newline; is the patch cut off?")

    @property
    def number(self) -> int:
        """Which line is next, as people count."""
        return self.at + 1

    @property
    def line(self) -> bytes | None:
        """The next line; None at the end."""
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next_is(self, start: bytes) -> bool:
        """Whether the next line begins so."""
        return self.at < len(self.lines) and self.lines[self.at].startswith(start)

    def take(self) -> bytes:
        """Return the next line and go on."""
        self.at += 1
        return self.lines[self.at - 1]

    def unfold(self, size: int) -> None:
        """Take note of data that unfolds to ``size`` bytes; refuse more than there may be."""
        self._room -= size
        if self._room < 0:
            raise self.malformed(f"its binary data unfolds to more than {LIMIT} bytes")

    def malformed(self, what: str, number: int = 0) -> MalformedDocument:
        """Return what is wrong with a line, the next one if no other is given."""
        return MalformedDocument(
            "patch", f"line {number or self.number}: {what}", where=self._where
        )

    def unexpected(self, what: str) -> MalformedDocument:
        """Return that the next line is not what should stand there."""
        if self.line is None:
            return self.malformed(f"the patch ends where {what} is expected")
        text = self.line[:_SHOWN].decode(errors="backslashreplace")
        return self.malformed(f"{text!r} is not {what}")
