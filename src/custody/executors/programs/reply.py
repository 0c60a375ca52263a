"""What an agent's output amounts to, and who reads it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from custody.model.request import Usage

LINE_LIMIT = 4 << 20
"""Bytes of a line that a reader is given; longer ones are on file only."""


class Reply(NamedTuple):
    """What a reader has made of an agent's output."""

    text: str = ""
    """The agent's last word."""
    usage: Usage | None = None
    error: str = ""
    """Why the agent says that it failed; empty when it does not."""
    notes: str = ""


class Reader(Protocol):
    """Reads an agent's standard output while it arrives."""

    def line(self, data: bytes) -> None:
        """Take one line, without its end."""
        ...

    def reply(self) -> Reply:
        """Return what the lines amount to."""
        ...


class TextReader:
    """Takes the whole output as the response."""

    def __init__(self, *, must_start: str = "") -> None:
        self._must_start = must_start
        self._lines: list[bytes] = []
        self._size = 0

    def line(self, data: bytes) -> None:
        """Take one line."""
        self._size += len(data) + 1
        if self._size <= LINE_LIMIT:
            self._lines.append(data)

    def reply(self) -> Reply:
        """Return the text, and what is wrong with it."""
        text = b"\n".join((*self._lines, b"")).decode(errors="replace")
        error = ""
        if self._size > LINE_LIMIT:
            error = f"the response is longer than {LINE_LIMIT} bytes"
        elif not text.startswith(self._must_start):
            error = f"a patch must start with {self._must_start!r}"
        return Reply(text=text, error=error)
