"""The ordered facts of one run: ``events.jsonl``, append-only, chained, the only truth.

Each line is one canonical `JournalLine` and a newline. ``seq`` counts from 0; ``prev`` is the
sha256 of the line before, without its newline, so that a changed, dropped or moved line shows.
A line is durable once `Journal.commit` returned; nothing may act on a fact before.

After a write or a sync has failed, what the kernel holds of the file cannot be trusted any
more. The journal is poisoned then: every later call raises, and `Journal.recover`, in this
process or another, writes the good lines into a new file.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NoReturn, Self

import msgspec

from custody.errors import JournalBroken, PathRefused, StorageFailed
from custody.model import layout
from custody.model.event import GENESIS, AnyFact, JournalLine
from custody.model.journal_version import CURRENT, JournalVersion
from custody.model.record import encode
from custody.store import files
from custody.store.chain import Chain, Link
from custody.store.limits import encoded
from custody.store.os_errors import failure
from custody.store.root import Root

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
_CHUNK = 1 << 18
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
        descriptor = root.open_fd(layout.EVENTS, _APPEND)
        return cls(
            root, descriptor, run_id, count=0, head=GENESIS, offset=0, version=version, clock=clock
        )

    @classmethod
    def recover(cls, root: Root, run_id: str, *, clock: Clock = time.time_ns) -> tuple[Self, int]:
        """Take up a journal after a process ended; return it and how many torn bytes were cut.

        The good lines are written into a new file, whatever happened to the old one. Raises
        `JournalBroken` when the chain does not hold: only what a crash can leave is repaired,
        and that is a last line without an end, or with holes in it.
        """
        source = _open(root)
        temporary = files.temporary_name()
        target = -1
        try:
            end = _end_of_whole_lines(source)
            target = root.open_fd(temporary, _APPEND)
            journal = cls(
                root, target, run_id,
                count=0, head=GENESIS, offset=0, version=CURRENT, clock=clock,
            )  # fmt: skip
            chain = Chain(_chunks(source, end), run_id)
            for link in _good(chain, root):
                journal._take_over(link)
            journal.version = chain.version
            journal._settle_as(temporary)
            return journal, os.fstat(source).st_size - end
        except BaseException as error:
            if target >= 0:
                os.close(target)
                files.discard(root.fd, temporary)
            if isinstance(error, OSError):
                raise failure(error, _where(root)) from error
            raise
        finally:
            os.close(source)

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

    def commit(self) -> None:
        """Make every line durable: one write, one sync.

        Raises `StorageFailed` when that fails, and from then on at every call. Raises
        `JournalBroken` when somebody else has written to the file, or removed it.
        """
        if self._poison:
            self._refuse_poisoned()
        if not self._waiting:
            return
        # Whatever ends this half way, an interruption at any moment too, leaves it poisoned.
        self._poison = "a commit did not come to its end"
        try:
            self._write()
            os.fdatasync(self._descriptor)
            if self._new:
                os.fsync(self._root.fd)
        except OSError as error:
            failed = failure(error, _where(self._root))
            self._poison = failed.what
            self._cut_back()
            raise failed from error
        self._refuse_foreign_hands()
        self._committed = self.offset
        self._new = False
        self._poison = ""

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
        raise JournalBroken("chain_broken", self._poison, where=_where(self._root))

    def _cut_back(self) -> None:
        """Leave no half of a failed commit behind; what cannot be cut now, `recover` cuts."""
        try:
            os.ftruncate(self._descriptor, self._committed)
        except OSError:
            return

    def _take_over(self, link: Link) -> None:
        self._wait(link.raw, link.digest)
        if self.offset - self._committed > _CHUNK:
            self._write()
            self._committed = self.offset

    def _settle_as(self, temporary: str) -> None:
        """Let the file that was written anew take the place of the old one, durably."""
        if self._waiting:
            self._write()
        os.fsync(self._descriptor)
        folder = self._root.fd
        os.rename(temporary, layout.EVENTS, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
        self._committed = self.offset
        self._new = False

    def _refuse_poisoned(self) -> NoReturn:
        raise StorageFailed(
            f"nothing can be written any more: {self._poison}",
            where=_where(self._root),
            hint="`custody resume` takes the run up from its last durable line",
        )


def read_lines(
    root: Root, *, run_id: str | None = None, torn_ok: bool = False
) -> Iterator[JournalLine]:
    """Yield the lines of a journal, each proved before it is yielded, in bounded memory.

    Raises `JournalBroken` at the first fault. An unfinished last line is none with ``torn_ok``.
    """
    descriptor = _open(root)
    try:
        end = os.fstat(descriptor).st_size
        for link in _good(Chain(_chunks(descriptor, end), run_id), root, torn_ok=torn_ok):
            yield link.line
    finally:
        os.close(descriptor)


def digest(line: JournalLine) -> str:
    """Return the sha256 that the line after this one names."""
    return hashlib.sha256(encode(line)).hexdigest()


def verify_journal(root: Root, *, run_id: str, count: int, head: str) -> list[JournalBroken]:
    """Return every fault of a journal, the first hundred; none when it is as it should be.

    ``count`` and ``head`` are what the manifest says: a chain alone does not show that its last
    lines are missing.
    """
    descriptor = _open(root)
    faults: list[JournalBroken] = []
    try:
        chain = Chain(_chunks(descriptor, os.fstat(descriptor).st_size), run_id)
        for found in chain:
            if isinstance(found, JournalBroken) and len(faults) < _FINDINGS:
                faults.append(_placed(found, root))
    finally:
        os.close(descriptor)
    if (chain.count, chain.head) != (count, head):
        what = f"it ends at line {chain.count}, {chain.head[:12]}…, not at {count}, {head[:12]}…"
        faults.append(JournalBroken("head_mismatch", what, line=chain.count, where=_where(root)))
    return faults


def timestamp(nanoseconds: int) -> str:
    """Return a moment as UTC, ISO 8601 with microseconds and ``Z``."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return f"{_to_the_second(seconds)}.{rest // 1000:06d}Z"


@lru_cache(maxsize=2)
def _to_the_second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _good(chain: Chain, root: Root, *, torn_ok: bool = False) -> Iterator[Link]:
    for found in chain:
        if not isinstance(found, JournalBroken):
            yield found
        elif found.code != "torn" or not torn_ok:
            raise _placed(found, root)


def _placed(fault: JournalBroken, root: Root) -> JournalBroken:
    where = f"{_where(root)}:{fault.line}" if fault.line else _where(root)
    return JournalBroken(fault.code, fault.what, line=fault.line, where=where)


def _where(root: Root) -> str:
    return f"{root.path}/{layout.EVENTS}"


def _open(root: Root) -> int:
    """Open the journal for reading; raises `JournalBroken` when there is no plain file."""
    try:
        descriptor = root.open_fd(layout.EVENTS, files.READ)
        try:
            files.plain(descriptor, sys.maxsize)
        except PathRefused:
            os.close(descriptor)
            raise
    except PathRefused as refused:
        raise JournalBroken(refused.code, refused.what, where=_where(root)) from refused
    return descriptor


def _chunks(descriptor: int, end: int) -> Iterator[bytes]:
    """Yield the file's bytes up to ``end``."""
    position = 0
    while position < end and (data := os.pread(descriptor, min(_CHUNK, end - position), position)):
        position += len(data)
        yield data


def _end_of_whole_lines(descriptor: int) -> int:
    """Return where the last line that a crash cannot have torn ends.

    Blocks of the last write may have reached the disk in any order: its lines can lack their
    end, and can hold zeros.
    """
    end = _after_newline(descriptor, os.fstat(descriptor).st_size)
    while end and b"\0" in os.pread(
        descriptor, end - (start := _after_newline(descriptor, end - 1)), start
    ):
        end = start
    return end


def _after_newline(descriptor: int, before: int) -> int:
    """Return the position after the last newline before a position; 0 when there is none."""
    while before > 0:
        start = max(0, before - _CHUNK)
        found = os.pread(descriptor, before - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        before = start
    return 0
