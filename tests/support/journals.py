"""Journals as a process leaves them, and how often they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from custody.store.journal import Journal
from custody.store.recovery import Recovery
from custody.store.root import Root


def recover(root: Root, run_id: str) -> tuple[Journal, int]:
    """Take up a journal; return it and how many torn bytes were cut."""
    with Recovery(root, run_id, lambda _link: None) as recovery:
        return recovery.settle(), recovery.torn


class Readings:
    """How many bytes were read of each journal, by the path it had then."""

    def __init__(self) -> None:
        self.bytes: dict[str, int] = {}


@contextmanager
def readings() -> Iterator[Readings]:
    """Count what is read of files called ``events.jsonl`` meanwhile."""
    found, pread, read = Readings(), os.pread, os.read

    def note(descriptor: int, data: bytes) -> bytes:
        path = os.readlink(f"/proc/self/fd/{descriptor}").removesuffix(" (deleted)")
        if path.endswith("/events.jsonl"):
            found.bytes[path] = found.bytes.get(path, 0) + len(data)
        return data

    def noted_pread(descriptor: int, *where: Any) -> bytes:
        return note(descriptor, pread(descriptor, *where))

    def noted_read(descriptor: int, size: int) -> bytes:
        return note(descriptor, read(descriptor, size))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "pread", noted_pread)
        patched.setattr(os, "read", noted_read)
        yield found
