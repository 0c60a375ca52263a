"""What the tool printed for one request: the lines between the markers that stand around it.

The executor writes them to both streams, each on a line of its own:

    @@custody begin <request_id>
    @@custody end <request_id>

What follows the last end was printed for no request: a script can leave something to be done later.

A script can print such lines too. So what counts begins with the first mark of its request and goes
on to the end of what there is when the request is over, the last mark within it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from custody.executors.sessions.generation import Generation

_PATIENCE = 2.0
"""Seconds after an ack in which the last mark must be on file: it was flushed before the ack."""
_PAUSE = 0.02


class Printed(NamedTuple):
    """Both streams of one request."""

    stdout: bytes
    stderr: bytes


def printed(generation: Generation, request_id: str, *, wait: bool, marked: int = 2) -> Printed:
    """Return what was printed for a request; with ``wait``, once the marks of its end are there.

    They are in as many streams as ``marked`` says; of the other all of it is returned.
    """
    begin, end = (f"@@custody {mark} {request_id}\n".encode() for mark in ("begin", "end"))
    deadline = time.monotonic() + (_PATIENCE if wait else 0.0)
    while True:
        streams = generation.printed()
        if all(end in stream for stream in streams[:marked]) or time.monotonic() > deadline:
            inner = [_from(stream, begin) for stream in streams[:marked]]
            return Printed(*inner, *streams[marked:])
        time.sleep(_PAUSE)


def printed_after(streams: Sequence[bytes], request_id: str) -> tuple[bytes, ...]:
    """Return what was printed after the end of a request, the last one; nothing without a mark."""
    end = f"\n@@custody end {request_id}\n".encode()
    return tuple(stream.partition(end)[2] for stream in streams)


def _from(stream: bytes, begin: bytes) -> bytes:
    at = 0 if stream.startswith(begin) else stream.find(b"\n" + begin) + 1
    return stream[at:] if stream.startswith(begin) or at else b""
