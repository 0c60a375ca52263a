"""Journals as a process leaves them, and how often they are read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from custody.model.event import GENESIS, GateFailed, GatePassed
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


def as_version_1_0(journal: bytes) -> bytes:
    """Return a journal as it would have been before the verdicts of gates were facts."""
    lines: list[bytes] = []
    prev = GENESIS
    for raw in journal.splitlines():
        line = json.loads(raw)
        if line["event"] in {GatePassed.__name__, GateFailed.__name__}:
            continue
        line |= {"schema_version": "1.0", "seq": len(lines), "prev": prev}
        lines.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode())
        prev = hashlib.sha256(lines[-1]).hexdigest()
    return b"".join(line + b"\n" for line in lines)
