"""The file of a journal, for reading: opened with care, taken in pieces, its faults placed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from custody.errors import JournalBroken, PathRefused
from custody.model import layout
from custody.store import files
from custody.store.chain import Chain, Link
from custody.store.root import Root

CHUNK = 1 << 18
_TAIL = 1 << 12
"""How much is looked at in one go from the end: a line is rarely longer."""


def open_journal(root: Root) -> int:
    """Open the journal for reading; raises `JournalBroken` when there is no plain file."""
    try:
        descriptor = root.open_fd(layout.EVENTS, files.READ)
        try:
            files.plain(descriptor, sys.maxsize)
        except PathRefused:
            os.close(descriptor)
            raise
    except PathRefused as refused:
        raise JournalBroken(refused.code, refused.what, where=where(root)) from refused
    return descriptor


def chunks(descriptor: int, end: int, start: int = 0) -> Iterator[bytes]:
    """Yield the file's bytes from ``start`` up to ``end``."""
    while start < end and (data := os.pread(descriptor, min(CHUNK, end - start), start)):
        start += len(data)
        yield data


def good(chain: Chain, root: Root, *, torn_ok: bool = False) -> Iterator[Link]:
    """Yield good lines; raises `JournalBroken` at the first fault.

    An unfinished last line is none with ``torn_ok``.
    """
    for found in chain:
        if not isinstance(found, JournalBroken):
            yield found
        elif found.code != "torn" or not torn_ok:
            raise placed(found, root)


def placed(fault: JournalBroken, root: Root) -> JournalBroken:
    """Return a fault with the file and the line that it was found at."""
    at = f"{where(root)}:{fault.line}" if fault.line else where(root)
    return JournalBroken(fault.code, fault.what, line=fault.line, where=at)


def where(root: Root) -> str:
    """Return the path of the journal."""
    return f"{root.path}/{layout.EVENTS}"


def end_of_whole_lines(descriptor: int) -> tuple[int, bool]:
    """Return where the last line ends that a crash cannot have torn, and whether holes follow.

    Blocks of the last write may have reached the disk in any order: its lines can lack their
    end, and can hold zeros.
    """
    last = end = _after_newline(descriptor, os.fstat(descriptor).st_size)
    while end and b"\0" in os.pread(
        descriptor, end - (start := _after_newline(descriptor, end - 1)), start
    ):
        end = start
    return end, end < last


def _after_newline(descriptor: int, before: int) -> int:
    """Return the position after the last newline before a position; 0 when there is none."""
    while before > 0:
        start = max(0, before - _TAIL)
        found = os.pread(descriptor, before - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        before = start
    return 0
