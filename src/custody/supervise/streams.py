"""What is kept of a program's output, and what is told of it after a failure."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from custody.checks.guards.secrets import Redactor, StreamRedactor
from custody.model.record import Record

STDERR_TAIL = 600
STDOUT_TAIL = 300
"""Bytes from the end of each stream that a failure summary quotes."""
SUMMARY_LIMIT = 2200
"""Characters of a failure summary."""

_TAIL = max(STDERR_TAIL, STDOUT_TAIL)
_CHUNK = 1 << 16
_CUT_CHARACTER = re.compile(rb"\A[\x80-\xbf]{1,3}")
_ESCAPE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Captured(Record, frozen=True):
    """What is known of one stream."""

    size: int
    """How many bytes were kept."""
    truncated: bool
    """Whether there was more."""
    tail: bytes
    """The end of what was kept, for a failure summary."""
    redacted: int = 0
    """How many secrets were taken out of it."""


class Stream:
    """One stream on its way into a file, up to a limit and without its secrets.

    What may be the beginning of a secret is held back until more of it is seen, or `finish`.
    """

    def __init__(
        self,
        sink: int,
        limit: int,
        redactor: Redactor,
        heard: Callable[[bytes], None] | None = None,
    ) -> None:
        self._sink = sink
        self._heard = heard
        self._limit = limit
        self._kept = 0
        self._written = 0
        self._tail = b""
        self._redactor = StreamRedactor(redactor)
        self.truncated = False

    def take_from(self, source: int) -> bool:
        """Keep what can be read from ``source`` at once; tell whether there was anything."""
        try:
            data = os.read(source, _CHUNK)
        except BlockingIOError:
            return False
        kept = data[: self._limit - self._kept]
        if len(kept) < len(data):
            self.truncated = True
        self._kept += len(kept)
        self._write(self._redactor.feed(kept))
        return bool(data)

    def finish(self) -> None:
        """Write what was held back: there is no more to come."""
        if self._redactor.held:
            self._write(self._redactor.finish())

    def discard(self) -> None:
        """Keep nothing more."""
        self._limit = self._kept

    def captured(self) -> Captured:
        """Return what is known so far."""
        return Captured(
            size=self._written,
            truncated=self.truncated,
            tail=self._tail,
            redacted=self._redactor.count,
        )

    def _write(self, data: bytes) -> None:
        if not data:
            return
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._sink, rest) :]
        self._written += len(data)
        self._tail = (self._tail + data[-_TAIL:])[-_TAIL:]
        if self._heard:
            self._heard(data)


def failure_summary(headline: str, *, stdout: bytes = b"", stderr: bytes = b"") -> str:
    """Return what the next agent is told: a headline and the ends of both streams."""
    parts = [headline]
    for name, data, limit in (("stderr", stderr, STDERR_TAIL), ("stdout", stdout, STDOUT_TAIL)):
        text = readable(data[-limit:]).strip()
        if text:
            parts.append(f"{name}, last {limit} bytes:\n{text}")
    return "\n".join(parts)[:SUMMARY_LIMIT]


def readable(data: bytes) -> str:
    """Return a cut-out of a stream as text: whole characters, no control sequence."""
    text = _CUT_CHARACTER.sub(b"", data).decode("utf-8", "replace").replace("\r\n", "\n")
    return _CONTROL.sub("", _ESCAPE_SEQUENCE.sub("", text))
