"""The journal as the engine sees it: what is recorded is played first, then it is written on.

While there are recorded facts left, every fact that the engine comes to must be the next one
in the recording, and requests are answered from it. When they run out, the recording goes live:
new facts are appended to the journal. One without a journal ends there; that is a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from custody.errors import ReplayDiverged
from custody.model.event import AnyFact, Heard, JournalLine, Position, RequestAnswered
from custody.model.journal_version import JournalVersion
from custody.model.record import encode
from custody.store.journal import Journal

Listener = Callable[[JournalLine, AnyFact], None]


class RecordingEnded(Exception):
    """A replay reached the end of what was recorded."""


class Recording:
    """Facts in order, recorded ones first."""

    def __init__(
        self,
        recorded: Iterable[Heard],
        journal: Journal | None,
        *,
        version: JournalVersion,
        go_live: Callable[[Recording], None] | None = None,
        listeners: tuple[Listener, ...] = (),
        committed: Callable[[Position], None] | None = None,
    ) -> None:
        """Play ``recorded``, then write to ``journal``.

        ``go_live`` is called once, before the first new fact, and may write facts of its own.
        ``listeners`` hear of new facts when they are durable, and ``committed`` is told then how
        far the journal goes.
        """
        self._recorded = iter(recorded)
        self._journal = journal
        self._go_live = go_live
        self._listeners = listeners
        self._committed = committed
        self._passed: Callable[[AnyFact], None] = _ignore
        self._unheard: list[Heard] = []
        self._next: Heard | None = None
        self.live = False
        """Whether new facts are being written."""
        self.played = 0
        """How many recorded facts were come to."""
        self.version = version
        """Of the journal: what decisions depend on and what becomes a fact."""
        self.agreed_seq = 0
        """The last recorded line at which no stage was under way."""

    def rewind(self, passed: Callable[[AnyFact], None]) -> None:
        """Get ready to play; ``passed`` is told of recorded facts that are no decisions."""
        self._passed = passed
        self._advance()

    def record(self, *facts: AnyFact, role: str = "engine", path: str = "") -> None:
        """Come to facts: each must be the next one recorded, or it is written now."""
        for known, fact in enumerate(facts):
            if self._next is None:
                self._be_live()
                self.write(*facts[known:], role=role, path=path)
                return
            self._compare(self._next, fact)

    def write(self, *facts: AnyFact, role: str = "engine", path: str = "") -> None:
        """Append facts to the journal; they are durable after `commit`."""
        if self._journal is None:
            raise RecordingEnded
        for fact in facts:
            self._unheard.append((self._journal.append(fact, role=role, path=path), fact))

    def answer(self, request_id: str) -> RequestAnswered | None:
        """Return the recorded answer to a request; None when it must be asked now."""
        if self._next is None:
            self._be_live()
            return None
        line, recorded = self._next
        if not isinstance(recorded, RequestAnswered) or recorded.ack.request_id != request_id:
            raise ReplayDiverged(
                f"the journal holds {line.event} where an answer to {request_id} is due",
                where=f"line {line.seq + 1}",
            )
        self._played(line, recorded)
        return recorded

    def commit(self) -> None:
        """Make everything written so far durable, then tell the listeners."""
        if self._journal is None or not self._unheard:
            return
        reached = self._journal.commit()
        heard, self._unheard = self._unheard, []
        for listener in self._listeners:
            for line, fact in heard:
                listener(line, fact)
        if self._committed is not None:
            self._committed(reached)

    def tell(self, fact: AnyFact) -> None:
        """Append a fact that is no decision; it is durable on return."""
        self.write(fact)
        self.commit()

    def note(self, fact: AnyFact, *, role: str = "engine", path: str = "") -> None:
        """Append a fact that is no decision, and that decisions take into account from here on."""
        self.write(fact, role=role, path=path)
        self._passed(fact)

    def is_over(self) -> bool:
        """Whether nothing more is recorded; then the recording is live from here on."""
        if self._next is None:
            self._be_live()
        return self._next is None

    def expect_end(self) -> None:
        """Make sure that nothing is recorded after the run's end; raises `ReplayDiverged`."""
        if self._next is not None:
            line, _fact = self._next
            raise ReplayDiverged(
                f"the journal goes on with {line.event} after the run ended",
                where=f"line {line.seq + 1}",
            )

    def _compare(self, heard: Heard, fact: AnyFact) -> None:
        line, recorded = heard
        if encode(recorded) != encode(fact) or type(recorded) is not type(fact):
            raise _divergence(line, recorded, fact)
        self._played(line, fact)

    def _played(self, line: JournalLine, fact: AnyFact) -> None:
        self.played += 1
        if fact.traits.boundary:
            self.agreed_seq = line.seq
        self._advance()

    def _be_live(self) -> None:
        if self.live:
            return
        if self._journal is None:
            raise RecordingEnded
        self.live = True
        if self._go_live is not None:
            self._go_live(self)

    def _advance(self) -> None:
        self._next = None
        for line, fact in self._recorded:
            if fact.traits.decision:
                self._next = (line, fact)
                return
            self._passed(fact)


def _ignore(_fact: AnyFact) -> None:
    """Take no notice."""


def _divergence(line: JournalLine, recorded: AnyFact, fact: AnyFact) -> ReplayDiverged:
    return ReplayDiverged(
        f"the journal holds {line.event} {encode(recorded).decode()[:300]} "
        f"but the recorded answers lead to {type(fact).__name__} {encode(fact).decode()[:300]}",
        where=f"line {line.seq + 1}",
    )
