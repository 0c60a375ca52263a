"""One stage of a run: every attempt at it, from what was asked to what came of it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from custody.errors import CustodyError
from custody.model import layout
from custody.model.change import Change
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    GuardrailViolation,
    Heard,
    JournalLine,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome, Route
from custody.model.record import Record
from custody.model.request import Ack, AnyRequest
from custody.model.verdict import Verdict
from custody.store.rundir import RunDirectory

TEXT_LIMIT = 64 * 1024
"""How many characters of a file are kept: the last ones."""


class Noted(Record, frozen=True):
    """A fact about an attempt that has no field of its own."""

    event: str
    fact: AnyFact


class Attempt(Record, frozen=True):
    """What the journal says about one attempt."""

    node: str
    type: str
    visit: int
    attempt: int
    folder: str
    """Relative to the run directory."""
    started_at: str
    request: AnyRequest | None
    answer: RequestAnswered | None = None
    """None while it is at work, and where nothing was asked for."""
    gates: tuple[GatePassed | GateFailed, ...] = ()
    """What each gate said, in order."""
    verdicts: tuple[Verdict, ...] = ()
    """What a check refused."""
    outcome: Outcome | None = None
    """None while it is at work."""
    ended_at: str = ""
    retry_delay: float | None = None
    """Seconds until the next attempt; None for the last one."""
    route: Route | None = None
    """Where the run went from here."""
    others: tuple[Noted, ...] = ()
    """What else the journal says of it."""

    @property
    def number(self) -> str:
        """Return ``<visit>.<attempt>``."""
        return layout.attempt_number(self.visit, self.attempt)

    @property
    def ack(self) -> Ack | None:
        """Return what the outside answered."""
        return None if self.answer is None else self.answer.ack


class Account(Record, frozen=True):
    """One attempt in full."""

    shown: Attempt
    attempts: tuple[Attempt, ...]
    """All of them, in order."""
    changes: tuple[Change, ...]
    texts: dict[str, str]
    """What was given and what came back: each file of the folder by its name, its end if long."""
    unreadable: dict[str, str]
    """Files that are missing or not what the journal says, and why."""


def attempts(lines: Iterable[Heard], node: str) -> tuple[Attempt, ...]:
    """Return every attempt at ``node``, in order."""
    found: list[Attempt] = []
    for line, fact in lines:
        if line.node != node:
            continue
        if isinstance(fact, StageStarted):
            found.append(_begun(line, fact))
        elif found and fact.traits.about != "run":
            found[-1] = _continued(found[-1], line, fact)
    return tuple(found)


def texts_of(run: RunDirectory, attempt: Attempt) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files of an attempt, and why some cannot be read."""
    texts: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for evidence in _evidence_of(attempt):
        name = evidence.path.rpartition("/")[2]
        try:
            texts[name] = run.read_evidence(evidence).decode(errors="replace")[-TEXT_LIMIT:]
        except CustodyError as error:
            unreadable[name] = str(error)
    return texts, unreadable


def _begun(line: JournalLine, fact: StageStarted) -> Attempt:
    return Attempt(
        node=fact.node,
        type=fact.type,
        visit=fact.visit,
        attempt=fact.attempt,
        folder=layout.attempt_folder(fact.node, fact.visit, fact.attempt),
        started_at=line.ts,
        request=fact.request,
    )


def _continued(  # noqa: PLR0911 - one answer for each kind of fact
    attempt: Attempt, line: JournalLine, fact: AnyFact
) -> Attempt:
    match fact:
        case RequestAnswered():
            return replace(attempt, answer=fact)
        case GatePassed() | GateFailed():
            return replace(attempt, gates=(*attempt.gates, fact))
        case GuardrailViolation():
            return replace(attempt, verdicts=fact.verdicts)
        case StageRetrying():
            return replace(attempt, outcome=fact.outcome, ended_at=line.ts, retry_delay=fact.delay)
        case StageCompleted() | StageFailed():
            return replace(attempt, outcome=fact.outcome, ended_at=line.ts)
        case RouteChosen():
            return replace(attempt, route=fact.route)
        case _:
            return replace(attempt, others=(*attempt.others, Noted(event=line.event, fact=fact)))


def _evidence_of(attempt: Attempt) -> tuple[Evidence, ...]:
    given = () if attempt.request is None else attempt.request.given()
    return given if attempt.ack is None else (*given, *attempt.ack.evidence)
