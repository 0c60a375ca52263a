"""The facts of a run, and the journal line that carries each of them.

A run is a sequence of facts. What the engine decided is a pure function of the facts before
it, so the sequence can be made again from the answers in it. Facts that tell of the process
rather than of a decision (`process_event`), or of what was done on the way to an answer
(`attempt_event`, `ingest_event`, `session_event`), are passed over then.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import msgspec

from custody.model.attempt_event import AnswerArrived, AttemptLost
from custody.model.change import Tree
from custody.model.confinement import ChosenLevel
from custody.model.evidence import Evidence
from custody.model.fact import Fact, Level, Traits
from custody.model.ingest import IngestSwitch
from custody.model.ingest_event import (
    IngestChecked,
    IngestFailed,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)
from custody.model.journal_version import CURRENT
from custody.model.letter_event import AnswerRefused, QuestionAsked
from custody.model.outcome import Outcome, Route
from custody.model.process_event import (
    AgentReplaced,
    PipelineReplaced,
    RunInterrupted,
    RunResumed,
    RunWaiting,
)
from custody.model.record import Document, Record, ready
from custody.model.request import Ack, AnyRequest
from custody.model.session_event import (
    SessionAckIgnored,
    SessionAttached,
    SessionClosed,
    SessionOpened,
)
from custody.model.verdict import GateEffect, Verdict
from custody.model.verify_event import (
    BUNDLE_CREATED,
    VERIFY_FAILED,
    VERIFY_PASSED,
    VERIFY_STARTED,
    PatchApplied,
    PatchRejected,
)

GENESIS = "0" * 64
"""``prev`` of the first line."""


class Origin(Record, frozen=True):
    """The run that a fork was taken from, and how far its journal was followed."""

    run_id: str
    seq: int
    head: str


class PipelineStarted(Fact, frozen=True):
    """A run begins: the first line of every journal."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=True,
        traced_as="SessionInitialized",
        shown_live=False,
        boundary=True,
    )
    pipeline: str
    pipeline_sha256: str
    decided_as: str
    """The run id that decisions and templates use: the run's own, or that of a fork's origin."""
    goal: str
    variables: dict[str, str]
    agent: str
    """The agent of nodes that name none."""
    workdir: str
    """The folder that the workspace was copied from; empty when it began empty."""
    workspace: Tree
    versions: dict[str, str]
    """Of custody, Python and the operating system."""
    forked_from: Origin | None = None
    confinement: ChosenLevel | None = None
    """How programs are confined; None when no stage starts one."""
    parts: dict[str, str] = {}
    """The sha256 of every pipeline that an `each` node runs, by the name it is kept under."""
    ingest: IngestSwitch = "off"
    """Whether the blocks of documents become files."""
    workspace_at: str = ""
    """Where programs see the workspace, at L3; empty in older records, where it was ``/ws``."""
    warnings: tuple[str, ...] = ()
    """What is wrong with the pipeline and was let through because it says so."""
    output_limit: int | None = None
    """Bytes of a command's output that a prompt shows where no node or graph says how many."""
    documents: tuple[Evidence, ...] = ()
    """What the user handed in: the run has it from its beginning, as if a stage had written it."""
    roles: dict[str, str] = {}
    """The agents of nodes that name a role and no agent, by role."""

    def evidence(self) -> tuple[Evidence, ...]:
        """Return the documents that were handed in."""
        return self.documents


class StageStarted(Fact, frozen=True):
    """An attempt begins, the first of a stage or another. What it asks for is durable by then."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as="NodeInputCaptured", shown_live=False
    )
    node: str
    type: str
    visit: int
    attempt: int
    request: AnyRequest | None = None
    """None for a node that asks nothing of the outside."""

    def evidence(self) -> tuple[Evidence, ...]:
        """Return what the attempt is given."""
        return () if self.request is None else self.request.given()


class RequestAnswered(Fact, frozen=True):
    """The outside answered an attempt, and this is what the workspace looked like then."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False, waiting="ends"
    )
    node: str
    ack: Ack
    diff: Evidence
    """``workspace.diff.json``: what changed since the stage began."""

    def evidence(self) -> tuple[Evidence, ...]:
        """Return what the attempt left."""
        return (*self.ack.evidence, self.diff)


class GatePassed(Fact, frozen=True):
    """A gate found nothing wrong with an attempt. Every replay judges again."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False
    )
    node: str
    visit: int
    attempt: int
    gate: str
    """Its name, such as ``verification``."""


class GateFailed(Fact, frozen=True):
    """A gate found something wrong with an attempt. Every replay judges again."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=True, traced_as=None, shown_live=False, level="warning"
    )
    node: str
    visit: int
    attempt: int
    gate: str
    effect: GateEffect
    """What follows from it: ``refuse``, ``fail``, or ``warn`` alone."""
    reason: str
    verdicts: tuple[Verdict, ...]
    """Everything that is wrong."""


class GuardrailViolation(Fact, frozen=True):
    """A check refused what an attempt asked for, or what it did."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=False, traced_as=None, shown_live=False, level="error"
    )
    node: str
    verdicts: tuple[Verdict, ...]


class StageRetrying(Fact, frozen=True):
    """An attempt did not succeed and another at the same stage follows."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=True,
        traced_as="NodeExecutionErrored",
        shown_live=True,
        level="warning",
    )
    node: str
    visit: int
    attempt: int
    outcome: Outcome
    delay: float
    """Seconds to wait, derived from run, node and attempt."""


class StageCompleted(Fact, frozen=True):
    """A stage ended with success, in whole or in part; ``attempt`` was its last."""

    traits: ClassVar[Traits] = Traits(
        about="stage",
        changes_state=True,
        traced_as="NodeOutputCaptured",
        shown_live=True,
        boundary=True,
    )
    node: str
    visit: int
    attempt: int
    outcome: Outcome


class StageFailed(Fact, frozen=True):
    """A stage ended without success; ``attempt`` was its last."""

    traits: ClassVar[Traits] = Traits(
        about="stage",
        changes_state=True,
        traced_as="NodeExecutionErrored",
        shown_live=True,
        level="error",
        boundary=True,
    )
    node: str
    visit: int
    attempt: int
    outcome: Outcome


class RouteChosen(Fact, frozen=True):
    """Where the run goes after a stage, and every edge that was looked at."""

    traits: ClassVar[Traits] = Traits(
        about="stage",
        changes_state=True,
        traced_as="RouteEvaluated",
        shown_live=False,
        boundary=True,
    )
    node: str
    route: Route


class PipelineCompleted(Fact, frozen=True):
    """The run reached an exit with nothing left unhandled."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=True,
        traced_as=None,
        shown_live=False,
        ends_run="PASS",
        last_word=True,
    )
    node: str


class PipelineFailed(Fact, frozen=True):
    """The run ended without having done what it was for."""

    traits: ClassVar[Traits] = Traits(
        about="run",
        changes_state=True,
        traced_as=None,
        shown_live=False,
        level="error",
        ends_run="FAIL",
        last_word=True,
    )
    node: str
    reason: str
    unhandled: dict[str, str]
    """Nodes whose failure nobody handled, with their reasons."""


AnyFact = (
    PipelineStarted
    | StageStarted
    | RequestAnswered
    | GatePassed
    | GateFailed
    | GuardrailViolation
    | StageRetrying
    | StageCompleted
    | StageFailed
    | RouteChosen
    | PipelineCompleted
    | PipelineFailed
    | RunInterrupted
    | RunWaiting
    | RunResumed
    | PipelineReplaced
    | AgentReplaced
    | IngestWritten
    | IngestSkipped
    | IngestRejected
    | IngestChecked
    | IngestFailed
    | SessionOpened
    | SessionAttached
    | SessionClosed
    | SessionAckIgnored
    | AnswerArrived
    | AttemptLost
    | QuestionAsked
    | AnswerRefused
    | PatchApplied
    | PatchRejected
    | VERIFY_STARTED
    | VERIFY_PASSED
    | VERIFY_FAILED
    | BUNDLE_CREATED
)

FACTS: dict[str, type[AnyFact]] = {kind.__name__: kind for kind in AnyFact.__args__}
"""Every fact by the name its line carries."""


class JournalLine(Document, frozen=True, kw_only=True, omit_defaults=False):
    """One line of ``events.jsonl``."""

    schema_version: str = CURRENT.number
    """Version of the journal, the same in all of its lines."""
    seq: int
    ts: str
    """UTC, ISO 8601 with microseconds and ``Z``; for people: order is by ``seq``."""
    run_id: str
    level: Level
    role: str
    """Who speaks: ``engine``, or the node type at work."""
    event: str
    node: str | None
    path: str
    """Folder or file that the line is about, relative to the run directory."""
    data: msgspec.Raw
    prev: str
    """sha256 of the previous line without its newline."""

    def fact(self) -> AnyFact:
        """Return what the line says; raises `msgspec.ValidationError` when it does not fit."""
        return msgspec.json.decode(self.data, type=ready(FACTS[self.event]))


class Position(NamedTuple):
    """How far a journal goes."""

    events: int
    """How many lines there are."""
    offset: int
    """How many bytes they have."""
    head: str
    """The sha256 of the last line, without its newline."""


Heard = tuple[JournalLine, AnyFact]
"""A line and what it says, as whoever follows a journal gets them."""
