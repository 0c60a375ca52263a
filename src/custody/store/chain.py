"""Reading journal lines and proving that each follows from the one before. No I/O.

A line is taken for good when it is canonical, carries the run's id and the next number, holds
a fact that exists, and the line after it names its hash. Codes of `JournalBroken`:

    chain_broken   a line was changed, or lines are missing or moved
    json           not one canonical line of the journal
    seq            the lines are chained but not numbered one by one
    job_mismatch   the line belongs to another run
    schema         of a version that is not known here, or not that of the lines before
    genesis        the first line does not begin a run
    torn           the last line does not end with a newline
    empty          there is no line
    head_mismatch  the journal does not end where it is said to

The line that is blamed is the one whose own content is wrong where that can be told, and for
missing or moved lines the first one out of place.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import msgspec

from custody.errors import JournalBroken
from custody.model.event import FACTS, GENESIS, AnyFact, Heard, JournalLine, PipelineStarted
from custody.model.journal_version import CURRENT, VERSIONS, JournalVersion
from custody.model.record import encode, ready
from custody.store.limits import LINE_LIMIT


@cache
def _line_decoder() -> Callable[[bytes], JournalLine]:
    """Return what reads a line; made when the first one is read."""
    return msgspec.json.Decoder(ready(JournalLine)).decode


@cache
def _decoder(event: str) -> Callable[[msgspec.Raw], AnyFact]:
    """Return what reads the data of one kind of event; made when the first one is met."""
    return msgspec.json.Decoder(ready(FACTS[event])).decode


class Link(msgspec.Struct, frozen=True):
    """One good line, with what it says."""

    line: JournalLine
    fact: AnyFact
    raw: bytes
    digest: str


class Lines:
    """Splits chunks of bytes into lines, at newlines only, in bounded memory."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.torn = b""
        """What stands after the last newline; known when every line has been taken."""

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        for chunk in self._chunks:
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop()
            yield from lines
            if len(rest) > LINE_LIMIT:
                break
        self.torn = rest


class _Read(msgspec.Struct, frozen=True):
    """One line as it was found."""

    raw: bytes
    digest: str
    heard: Heard | None
    problem: str
    """Why it is no line of a journal; empty when it is one."""

    @property
    def line(self) -> JournalLine | None:
        return None if self.heard is None else self.heard[0]


# BEHAVIOR_ID: B011
class Chain:
    """Goes through the lines of one journal once; goes on after a fault, so that all are found."""

    def __init__(self, chunks: Iterable[bytes], run_id: str | None = None) -> None:
        self._lines = Lines(chunks)
        self._source = map(_read, self._lines)
        self._ahead: deque[_Read] = deque()
        self._run_id = run_id
        self._number = ""
        self._seq = 0
        self._blamed = 0
        self.count = 0
        """Lines so far."""
        self.head = GENESIS
        """sha256 of the last of them."""

    @property
    def version(self) -> JournalVersion:
        """What holds for the lines; known once there is a good one."""
        return VERSIONS.get(self._number, CURRENT)

    def __iter__(self) -> Iterator[Link | JournalBroken]:
        """Yield good lines and, in their places, what is wrong with the others."""
        while (found := self._take()) is not None:
            self.count += 1
            self.head = found.digest
            fault = self._fault(found)
            if not self._followed(found.digest):
                fault = self._blame(found, fault)
            if fault is not None and self._blamed != fault.line:
                self._blamed = fault.line
                yield fault
            if found.heard is not None and self._blamed != self.count:
                yield Link(*found.heard, found.raw, found.digest)
        if self._lines.torn:
            yield JournalBroken(
                "torn", "the last line does not end with a newline", line=self.count + 1
            )
        elif self.count == 0:
            yield JournalBroken("empty", "the journal is empty")

    def _take(self) -> _Read | None:
        return self._ahead.popleft() if self._ahead else next(self._source, None)

    def _look(self, distance: int) -> _Read | None:
        while len(self._ahead) <= distance:
            found = next(self._source, None)
            if found is None:
                return None
            self._ahead.append(found)
        return self._ahead[distance]

    def _fault(self, found: _Read) -> JournalBroken | None:
        """Return what is wrong with a line, links aside."""
        if found.line is not None:
            return self._misplaced(found.line)
        self._seq += 1
        return self._broken("json", found.problem)

    def _misplaced(self, line: JournalLine) -> JournalBroken | None:
        expected, self._seq = self._seq, line.seq + 1
        run_id, self._run_id = self._run_id, line.run_id
        if self.count == 1 and line.prev != GENESIS:
            return self._broken("chain_broken", "the lines before it are missing")
        if wrong := self._odd_version(line.schema_version):
            return self._broken("schema", wrong)
        if run_id is not None and line.run_id != run_id:
            return self._broken("job_mismatch", f"it belongs to {line.run_id}, not to {run_id}")
        if line.seq != expected:
            return self._broken("seq", f"its number is {line.seq}, not {expected}")
        if self.count == 1 and line.event != PipelineStarted.__name__:
            return self._broken("genesis", f"a run does not begin with {line.event}")
        return None

    def _odd_version(self, version: str) -> str:
        if version not in VERSIONS:
            return f"schema version {version} is not known"
        self._number = self._number or version
        if version != self._number:
            return f"its schema version is {version}, that of the lines before {self._number}"
        return ""

    def _followed(self, digest: str, distance: int = 0) -> bool:
        """Whether the next line names ``digest``, or does not say because it cannot be read."""
        following = self._look(distance)
        return following is None or following.line is None or following.line.prev == digest

    def _blame(self, found: _Read, fault: JournalBroken | None) -> JournalBroken:
        """Tell which of two lines that do not fit together is the wrong one."""
        following = self._ahead[0]
        if found.line is None or following.line is None or fault is not None:
            return self._broken("chain_broken", "it was changed")
        if not self._followed(following.digest, 1):
            return self._broken("chain_broken", "it was changed or moved", ahead=1)
        if following.line.seq != found.line.seq + 1:
            return self._broken("chain_broken", "lines before it are missing or moved", ahead=1)
        return self._broken("chain_broken", "it was changed")

    def _broken(self, code: str, what: str, *, ahead: int = 0) -> JournalBroken:
        return JournalBroken(code, what, line=self.count + ahead)


def decoded(raw: bytes) -> Heard:
    """Return a line and its fact; raises what `msgspec` does, `KeyError` for an unknown event."""
    line = _line_decoder()(raw)
    return line, _decoder(line.event)(line.data)


def _read(raw: bytes) -> _Read:
    digest = hashlib.sha256(raw).hexdigest()
    try:
        heard = decoded(raw)
        if encode(heard[0]) != raw:
            return _Read(raw, digest, None, "it is not in canonical form")
    except KeyError as error:
        return _Read(raw, digest, None, f"there is no event {error}")
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return _Read(raw, digest, None, str(error))
    return _Read(raw, digest, heard, "")
