"""What a run claims, gathered fact by fact: verdicts of gates, stages that failed, what was made.

However long the run is, of each kind only the last `MOST` are kept, and the others are counted.
"""

from __future__ import annotations

from collections import deque

import msgspec

from custody.model import layout
from custody.model.change import Change
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    GuardrailViolation,
    JournalLine,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.request import STAND_INS, AgentRequest

MOST = 40
"""How many claims of each kind a packet has."""
TOLD = (
    StageStarted, RequestAnswered, GatePassed, GateFailed, GuardrailViolation, StageRetrying,
    StageCompleted, StageFailed, RouteChosen,
)  # fmt: skip
"""The facts that a claim follows from."""

Told = tuple[int, AnyFact]
"""A fact with the number of its line."""


class Attempt(msgspec.Struct):
    """What a claim about one attempt is made of; all claims about it share it."""

    node: str
    number: str
    """``<visit>.<attempt>``."""
    told: list[Told]
    given: tuple[Evidence, ...] = ()
    returned: tuple[Evidence, ...] = ()
    stand_in: str = ""
    """Who answered and is no agent that works."""
    changes: tuple[Change, ...] = ()
    """In the workspace, until it is known whether they count."""
    judged: bool = False
    """Whether a gate has found something wrong with it."""

    @property
    def name(self) -> str:
        """Return ``<node>/<visit>.<attempt>``."""
        return f"{self.node}/{self.number}"


class Held(msgspec.Struct, frozen=True):
    """A claim about an attempt, before it is put into words."""

    about: Attempt
    seq: int
    """The line that makes it."""
    fact: GatePassed | GateFailed | StageRetrying | StageFailed


class Claims:
    """Gathers what a packet is made of."""

    def __init__(self) -> None:
        self.failed: deque[Held] = deque(maxlen=MOST)
        self.passed: deque[Held] = deque(maxlen=MOST)
        self.counted = {"failed": 0, "passed": 0}
        """How many there were of each."""
        self.pipeline = ""
        self.made_by: dict[str, tuple[Told, str]] = {}
        """The line that tells of the last writing of each document and workspace file, by its
        path in the run directory, and the stage."""
        self._at_work: dict[str, Attempt] = {}

    def add(self, line: JournalLine, fact: AnyFact, changes: tuple[Change, ...]) -> None:
        """Take one more line into account; ``changes`` are those of an answer."""
        if isinstance(fact, PipelineStarted):
            self.pipeline = fact.pipeline
            return
        if isinstance(fact, StageStarted):
            self._at_work[fact.node] = _begun(line, fact)
            return
        self._note_documents(line, fact)
        about = self._at_work.get(line.node or "")
        if about is None or not isinstance(fact, TOLD):
            return
        about.told.append((line.seq, fact))
        match fact:
            case RequestAnswered():
                about.returned, about.changes = fact.evidence(), changes
            case GatePassed():
                self._hold(self.passed, "passed", Held(about, line.seq, fact))
            case GateFailed():
                about.judged = True
                self._hold(self.failed, "failed", Held(about, line.seq, fact))
            case StageRetrying() | StageCompleted() | StageFailed():
                self._end(line, fact, about)
            case RouteChosen():
                del self._at_work[about.node]

    def _end(
        self, line: JournalLine, fact: StageRetrying | StageCompleted | StageFailed, about: Attempt
    ) -> None:
        """Note what an attempt has changed, unless it was refused, and that it failed."""
        if not fact.outcome.refused:
            told = (line.seq, fact), about.name
            for change in about.changes:
                self.made_by[f"{layout.WORKSPACE}/{change.path}"] = told
        about.changes = ()
        if not isinstance(fact, StageCompleted) and not about.judged:
            self._hold(self.failed, "failed", Held(about, line.seq, fact))

    def _hold(self, held: deque[Held], kind: str, claim: Held) -> None:
        held.append(claim)
        self.counted[kind] += 1

    def _note_documents(self, line: JournalLine, fact: AnyFact) -> None:
        for item in fact.evidence():
            if item.is_document:
                self.made_by[item.path] = (line.seq, fact), line.node or ""


def _begun(line: JournalLine, fact: StageStarted) -> Attempt:
    request = fact.request
    agent = request.agent.partition(":")[0] if isinstance(request, AgentRequest) else ""
    return Attempt(
        node=fact.node,
        number=layout.attempt_number(fact.visit, fact.attempt),
        told=[(line.seq, fact)],
        given=fact.evidence(),
        stand_in=agent if agent in STAND_INS else "",
    )
