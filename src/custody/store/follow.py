"""Reading a journal while another process writes it."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator

import msgspec

from custody.errors import JournalBroken
from custody.model import layout
from custody.model.event import FACTS, GENESIS, JournalLine
from custody.model.record import ready
from custody.store import files
from custody.store.root import Root

_CHUNK = 1 << 20
_PAUSE = 0.2

_decode = msgspec.json.Decoder(ready(JournalLine)).decode


def _pause() -> None:
    time.sleep(_PAUSE)


def follow(
    root: Root, *, wait: Callable[[], None] = _pause, at_work: Callable[[], bool] = lambda: True
) -> Iterator[JournalLine]:
    """Yield every line, those to come as well, until the run has ended; ``wait`` lets time pass.

    It is over as well when no process is ``at_work`` that could write another line. A line is
    yielded when it is whole and names the one before; whether it was changed later is for
    `verify_journal` to find. Raises `JournalBroken`.
    """
    offset, head, last = 0, GENESIS, ""
    is_last_look = False
    while True:
        for raw in _whole_lines(root, offset):
            line = _read(raw, head, f"{root.path}/{layout.EVENTS}")
            offset += len(raw) + 1
            head = hashlib.sha256(raw).hexdigest()
            last = line.event
            yield line
        if is_last_look or (last and FACTS[last].traits.last_word):
            return
        is_last_look = not at_work()
        if not is_last_look:
            wait()


def _read(raw: bytes, head: str, where: str) -> JournalLine:
    try:
        line = _decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise JournalBroken("json", str(error), where=where) from None
    if line.prev != head:
        what = "it does not follow from the line before"
        raise JournalBroken("chain_broken", what, line=line.seq + 1, where=where)
    return line


def _whole_lines(root: Root, offset: int) -> Iterator[bytes]:
    """Yield the lines that have their end by now; the file may have been replaced meanwhile."""
    descriptor = root.open_fd(layout.EVENTS, files.READ)
    try:
        rest = b""
        while data := os.pread(descriptor, _CHUNK, offset):
            offset += len(data)
            *lines, rest = (rest + data).split(b"\n")
            yield from lines
    finally:
        os.close(descriptor)
