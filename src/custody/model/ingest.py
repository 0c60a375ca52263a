"""What became of the fenced blocks of one document: ``ingest.manifest.json``, version 1."""

from __future__ import annotations

from typing import Literal, get_args

from custody.model.record import Record

ArtifactStatus = Literal["written", "skipped", "rejected"]
IngestKind = Literal["graph_runtime", "cli"]
IngestMode = Literal["single", "self_critique", "team", "unknown"]

IngestSwitch = Literal["off", "on", "forced"]
"""What a run says: ``on`` where neither node nor graph does, ``forced`` whatever they say."""


class IngestLimits(Record, frozen=True):
    """What one document may do."""

    files: int = 1_000
    file_bytes: int = 10 << 20
    total_bytes: int = 100 << 20
    blocks: int = 200_000
    """Most blocks that are looked at; the document is not read further."""


class IngestSource(Record, frozen=True, kw_only=True):
    """Where the document came from."""

    kind: IngestKind = "graph_runtime"
    """``cli`` for a document that no node wrote."""
    mode: IngestMode = "unknown"
    doc_path: str
    """The document, relative to the project."""


class Artifact(Record, frozen=True):
    """One block."""

    index: int
    """Its place in the document, counted from 0."""
    lang: str
    declared_file: str
    """What stands after ``file=``, as written; secrets are taken out and long texts cut."""
    workspace_path: str
    """Where it was written, relative to the project; empty when it was not."""
    bytes: int
    """Of the block's content."""
    sha256: str
    """Of what was written; empty when nothing was."""
    status: ArtifactStatus
    reason: str
    """The code of the rule that kept it from being written; empty when it was."""


class IngestSummary(Record, frozen=True):
    """How many blocks there were, and what became of them."""

    total_blocks: int
    written: int
    skipped: int
    rejected: int


class IngestManifest(Record, frozen=True, kw_only=True):
    """``ingest.manifest.json``: every block of one document."""

    version: Literal["1"] = "1"
    run_id: str
    node_id: str
    source: IngestSource
    artifacts: tuple[Artifact, ...]
    summary: IngestSummary
    ts: str
    """UTC, ISO 8601 with ``Z``."""


class BlockNote(Record, frozen=True, omit_defaults=True):
    """One block, as an event tells of it."""

    index: int
    line: int
    """Of the document, where its opening stands."""
    file: str
    """As ``declared_file``."""
    reason: str = ""
    """The code; empty when it was written."""
    detail: str = ""
    """One sentence for a person, where there is more to say than the code does."""
    replaced: str = ""
    """sha256 of the blob that keeps what stood there before; empty when nothing did."""


def mode_of(pipeline: str) -> IngestMode:
    """Return the mode that a pipeline of this name is."""
    return next((mode for mode in get_args(IngestMode) if mode == pipeline), "unknown")


def summary_of(artifacts: tuple[Artifact, ...]) -> IngestSummary:
    """Return the counts of a manifest."""
    statuses = [artifact.status for artifact in artifacts]
    return IngestSummary(
        total_blocks=len(statuses),
        written=statuses.count("written"),
        skipped=statuses.count("skipped"),
        rejected=statuses.count("rejected"),
    )
