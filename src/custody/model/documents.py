"""The documents of a run directory that are made from its journal."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from custody.model.change import Tree
from custody.model.confinement import ChosenLevel
from custody.model.event import Origin
from custody.model.evidence import Evidence
from custody.model.fact import RunStatus
from custody.model.ingest import BlockNote
from custody.model.outcome import OutcomeStatus
from custody.model.record import Document, Record
from custody.model.usage import UsageTotal
from custody.model.verdict import Verdict


class Manifest(Document, frozen=True, kw_only=True):
    """``manifest.json``: what ran, on what, and how it ended."""

    run_id: str
    pipeline: str
    pipeline_sha256: str
    goal: str
    variables: dict[str, str]
    agent: str
    workdir: str
    """The folder the workspace was copied from."""
    workspace: Tree
    versions: dict[str, str]
    started_at: str
    status: RunStatus
    forked_from: Origin | None = None
    confinement: ChosenLevel | None = None
    """How programs are confined; None when no stage starts one."""
    ended_at: str = ""
    events: int = 0
    """How many journal lines there are; 0 while the run goes on."""
    head: str = ""
    """sha256 of the last journal line; empty while the run goes on."""
    final_workspace: Tree | None = None
    parts: dict[str, str] | UnsetType = UNSET
    """The sha256 of every pipeline that an `each` node runs, where there are any."""
    answered_by: tuple[str, ...] | UnsetType = UNSET
    """The agents whose answers count, where there were any; told since journal version 1.2."""
    roles: dict[str, str] | UnsetType = UNSET
    """The agents of nodes that name a role, by role, where the user said who has it."""
    documents: tuple[Evidence, ...] | UnsetType = UNSET
    """What the user handed in, where there was any."""


class Checkpoint(Document, frozen=True, kw_only=True):
    """``checkpoint.json``: how far the journal is known to be good, and where the run stands."""

    run_id: str
    pipeline_sha256: str
    status: RunStatus
    node: str
    """The stage at work, or the last one."""
    visit: int
    attempt: int
    steps: int
    events: int
    """Journal lines up to here."""
    offset: int
    """Journal bytes up to here."""
    head: str
    """sha256 of the last of these lines."""


class IngestedDocument(Record, frozen=True):
    """What became of the fenced blocks of one document; of each kind the first hundred."""

    node: str
    doc_path: str
    """The document, relative to the run directory."""
    written: tuple[BlockNote, ...] = ()
    skipped: tuple[BlockNote, ...] = ()
    rejected: tuple[BlockNote, ...] = ()
    more: int = 0
    """How many blocks there were beyond these; the manifest has them."""
    findings: tuple[Verdict, ...] = ()
    """What the validators found odd about files that were written."""
    problems: tuple[str, ...] = ()
    """What went wrong beside blocks that were rejected."""


class StageSummary(Record, frozen=True, gc=False):
    """One row of a summary."""

    node: str
    type: str
    visit: int
    attempts: int
    outcome: OutcomeStatus
    failure_reason: str
    seconds: float
    changed: int
    """How many workspace paths the stage changed."""
    folder: str
    usage: UsageTotal | UnsetType = UNSET
    """What its agents told of tokens and cost, where any was asked; told since version 1.3."""


class Summary(Document, frozen=True, kw_only=True):
    """``summary.json``: the end of a run in one page."""

    run_id: str
    pipeline: str
    goal: str
    status: RunStatus
    reason: str
    stages: tuple[StageSummary, ...]
    unhandled: dict[str, str]
    changed: tuple[str, ...]
    """Workspace paths that differ from the source at the end."""
    active_seconds: float
    events: int
    head: str
    warnings: tuple[str, ...] | UnsetType = UNSET
    """What is wrong with the pipeline and was let through because it says so, if anything."""
    stand_ins: dict[str, tuple[str, ...]] | UnsetType = UNSET
    """Stages that no real agent has answered, by who did: ``stub``, ``fake``; if there are any.
    Told since journal version 1.3."""
    usage: UsageTotal | UnsetType = UNSET
    """Tokens and cost of the whole run, set aside work included; told since version 1.3."""
    ingested: tuple[IngestedDocument, ...] | UnsetType = UNSET
    """What became of the blocks of documents, where any were read; told since version 1.3."""
