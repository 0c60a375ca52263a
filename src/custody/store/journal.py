"""The ordered facts of one run: ``events.jsonl``, append-only, chained, the only truth.

Each line is one canonical `JournalLine` and a newline. ``seq`` counts from 0; ``prev`` is the
sha256 of the line before, without its newline, so that a changed, dropped or moved line shows.
A line is durable once `Journal.commit` returned; nothing may act on a fact before.

After a write or a sync has failed, what the kernel holds of the file cannot be trusted any
more. The journal is poisoned then: every later call raises, and a `Recovery`, in this process or
another, writes the good lines into a new file.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NoReturn, Self

import msgspec

from custody.errors import JournalBroken, StorageFailed
from custody.model import layout
from custody.model.event import GENESIS, AnyFact, JournalLine, Position
from custody.model.journal_version import CURRENT, JournalVersion
from custody.model.record import encode
from custody.store import files
from custody.store.chain import Chain, Link
from custody.store.journal_file import chunks, good, open_journal, placed, where
from custody.store.limits import encoded
from custody.store.os_errors import failure
from custody.store.root import Root

APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
_FINDINGS = 100
"""How many faults of one journal are listed."""

Clock = Callable[[], int]
"""Returns nanoseconds since 1970."""


class Journal:
    """The writing end. There is one per run at a time: the run directory's lock sees to that."""

    def __init__(
        self,
        root: Root,
        descriptor: int,
        run_id: str,
        *,
        count: int,
        head: str,
        offset: int,
        version: JournalVersion,
        clock: Clock,
    ) -> None:
        self.run_id = run_id
        self.version = version
        """What holds for its lines."""
        self.count = count
        """How many lines there are, those waiting for `commit` too."""
        self.head = head
        """sha256 of the last line."""
        self.offset = offset
        """Where the next line will begin."""
        self._root = root
        self._descriptor = descriptor
        self._clock = clock
        self._waiting: list[bytes] = []
        self._committed = offset
        self._new = offset == 0
        self._poison = ""

    @classmethod
    def create(
        cls,
        root: Root,
        run_id: str,
        *,
        version: JournalVersion = CURRENT,
        clock: Clock = time.time_ns,
    ) -> Self:
        """Begin the journal of a new run; raises `PathRefused` with ``exists`` when it has one."""
        descriptor = root.open_fd(layout.EVENTS, APPEND)
        return cls(
            root, descriptor, run_id, count=0, head=GENESIS, offset=0, version=version, clock=clock
        )

    @property
    def position(self) -> Position:
        """How far it goes, lines that wait for `commit` too."""
        return Position(self.count, self.offset, self.head)

    def append(self, fact: AnyFact, *, role: str, path: str) -> JournalLine:
        """Add one fact, to be written by `commit`; texts over the limit are cut.

        Raises `MalformedDocument` with code ``json`` for what JSON cannot say, such as NaN.
        """
        if self._poison:
            self._refuse_poisoned()
        line = JournalLine(
            schema_version=self.version.number,
            seq=self.count,
            ts=timestamp(self._clock()),
            run_id=self.run_id,
            level=fact.traits.level,
            role=role,
            event=type(fact).__name__,
            node=getattr(fact, "node", None),
            path=path,
            data=msgspec.Raw(encoded(fact)),
            prev=self.head,
        )
        raw = encode(line)
        self._wait(raw, hashlib.sha256(raw).hexdigest())
        return line

    def commit(self) -> Position:
        """Make every line durable, by one write and one sync; return how far the journal goes.

        Raises `StorageFailed` when that fails, and from then on at every call. Raises
        `JournalBroken` when somebody else has written to the file, or removed it.
        """
        if self._poison:
            self._refuse_poisoned()
        if not self._waiting:
            return self.position
        # Whatever ends this half way, an interruption at any moment too, leaves it poisoned.
        self._poison = "a commit did not come to its end"
        try:
            self._write()
            os.fdatasync(self._descriptor)
            if self._new:
                os.fsync(self._root.fd)
        except OSError as error:
            failed = failure(error, where(self._root))
            self._poison = failed.what
            self._cut_back()
            raise failed from error
        self._refuse_foreign_hands()
        self._committed = self.offset
        self._new = False
        self._poison = ""
        return self.position

    def close(self) -> None:
        """Give the descriptor back; lines that were not committed are lost, as after a crash."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
            self._poison = self._poison or "the journal is closed"

    def _wait(self, raw: bytes, digest: str) -> None:
        self._waiting.append(raw)
        self.count += 1
        self.head = digest
        self.offset += len(raw) + 1

    def _write(self) -> None:
        data = b"\n".join(self._waiting) + b"\n"
        self._waiting.clear()
        files.write_all(self._descriptor, data)

    def _refuse_foreign_hands(self) -> None:
        """Refuse to go on with a file that does not end where the last line does."""
        state = os.fstat(self._descriptor)
        if state.st_size == self.offset and state.st_nlink:
            return
        self._poison = "somebody else has written to it, or removed it"
        raise JournalBroken("chain_broken", self._poison, where=where(self._root))

    def _cut_back(self) -> None:
        """Leave no half of a failed commit behind; what cannot be cut now, a recovery cuts."""
        try:
            os.ftruncate(self._descriptor, self._committed)
        except OSError:
            return

    def _refuse_poisoned(self) -> NoReturn:
        raise StorageFailed(
            f"nothing can be written any more: {self._poison}",
            where=where(self._root),
            hint="`custody resume RUN` takes the run up from its last durable line",
        )


def read_lines(
    root: Root, *, run_id: str | None = None, torn_ok: bool = False
) -> Iterator[JournalLine]:
    """Yield the lines of a journal, each proved before it is yielded, in bounded memory.

    Raises `JournalBroken` at the first fault. An unfinished last line is none with ``torn_ok``.
    """
    descriptor = open_journal(root)
    try:
        end = os.fstat(descriptor).st_size
        for link in good(Chain(chunks(descriptor, end), run_id), root, torn_ok=torn_ok):
            yield link.line
    finally:
        os.close(descriptor)


def verify_journal(
    root: Root, *, run_id: str, count: int, head: str, hear: Callable[[Link], None] | None = None
) -> list[JournalBroken]:
    """Return every fault of a journal, the first hundred; none when it is as it should be.

    ``count`` and ``head`` are what the manifest says: a chain alone does not show that its last
    lines are missing. ``hear`` is told of every good line.
    """
    descriptor = open_journal(root)
    faults: list[JournalBroken] = []
    try:
        chain = Chain(chunks(descriptor, os.fstat(descriptor).st_size), run_id)
        for found in chain:
            if not isinstance(found, JournalBroken):
                if hear is not None:
                    hear(found)
            elif len(faults) < _FINDINGS:
                faults.append(placed(found, root))
    finally:
        os.close(descriptor)
    if (chain.count, chain.head) != (count, head):
        what = f"it ends at line {chain.count}, {chain.head[:12]}…, not at {count}, {head[:12]}…"
        faults.append(JournalBroken("head_mismatch", what, line=chain.count, where=where(root)))
    return faults


def timestamp(nanoseconds: int) -> str:
    """Return a moment as UTC, ISO 8601 with microseconds and ``Z``."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{_to_the_second(seconds)}.{rest // 1000:06d}Z"


@lru_cache(maxsize=2)
def _to_the_second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
