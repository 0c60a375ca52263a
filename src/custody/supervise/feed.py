"""The input of programs: a pipe of their own, filled from a file that they cannot touch.

Whoever holds a file open can change its mode, owner and times, for reading only too; a device
such as /dev/null is the whole machine's. So programs get a pipe, and it goes with them.
"""

from __future__ import annotations

import os
import select

_CHUNK = 1 << 16
NOTHING = -1
"""The source of an input that is empty."""


class Feed:
    """Fills the pipes that programs read, for whoever polls."""

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._filled: dict[int, tuple[int, int]] = {}
        """The writing end of each pipe: where from, and how much is in."""

    def open(self, source: int) -> int:
        """Return a pipe that what a file holds can be read from; the file stays the caller's."""
        reader, writer = os.pipe()
        if source == NOTHING:
            os.close(writer)
            return reader
        os.set_blocking(writer, False)
        self._filled[writer] = (source, 0)
        self._poll.register(writer, select.POLLOUT)
        self._fill(writer)
        return reader

    def serve(self, found: list[tuple[int, int]]) -> None:
        """Fill those of the pipes that a poll has found."""
        for writer, _ in found:
            if writer in self._filled:
                self._fill(writer)

    def close(self) -> None:
        """Let go of every pipe, read to its end or not."""
        for writer in tuple(self._filled):
            self._end(writer)

    def _fill(self, writer: int) -> None:
        source, done = self._filled[writer]
        try:
            while data := os.pread(source, _CHUNK, done):
                done += os.write(writer, data)
        except BlockingIOError:
            self._filled[writer] = (source, done)
        except OSError:  # nobody reads it any more, or it cannot be read
            self._end(writer)
        else:
            self._end(writer)

    def _end(self, writer: int) -> None:
        del self._filled[writer]
        self._poll.unregister(writer)
        os.close(writer)
