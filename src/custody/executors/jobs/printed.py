"""What the tool printed for one request: the lines between the markers that stand around it.

The executor writes them to both streams, each on a line of its own:

    @@custody begin <request_id>
    @@custody end <request_id>

A script can leave something to be done later, and a tool can hold back what it prints. So what
follows the end of a request counts for the next one, and `printed_after` returns what follows the
last.

A script can print such lines too. So what counts begins with the first mark of the end before it,
or the first of its own request where that is the first, and goes on to the end of what there is
when the request is over, the last mark within it.
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


def printed(
    generation: Generation, request_id: str, *, wait: bool, marked: int = 2, after: str = ""
) -> Printed:
    """Return what was printed for a request; with ``wait``, once the marks of its end are there.

    They are in as many streams as ``marked`` says; of the other all of it is returned. ``after`` is
    the request before it, or empty.
    """
    begin, end = (_mark(mark, request_id) for mark in ("begin", "end"))
    before = _mark("end", after) if after else b""
    deadline = time.monotonic() + (_PATIENCE if wait else 0.0)
    while True:
        streams = generation.printed()
        if all(end in stream for stream in streams[:marked]) or time.monotonic() > deadline:
            inner = [_from(stream, begin, before) for stream in streams[:marked]]
            return Printed(*inner, *streams[marked:])
        time.sleep(_PAUSE)


def printed_after(streams: Sequence[bytes], request_id: str) -> tuple[bytes, ...]:
    """Return what was printed after the end of a request, the last one; nothing without a mark."""
    end = b"\n" + _mark("end", request_id)
    return tuple(stream.partition(end)[2] for stream in streams)


def _mark(which: str, request_id: str) -> bytes:
    return f"@@custody {which} {request_id}\n".encode()


def _from(stream: bytes, begin: bytes, before: bytes) -> bytes:
    """Return a stream from what follows the mark ``before``, or else from the mark ``begin``."""
    rest = (b"\n" + stream).partition(b"\n" + before)[2] if before else b""
    late, found, own = (b"\n" + (rest or stream)).partition(b"\n" + begin)
    if rest and late.replace(before, b"").strip():
        return rest
    return found[1:] + own
