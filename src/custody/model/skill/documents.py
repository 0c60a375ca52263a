"""The documents of a job that are made from its journal."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from custody.model.documents import Summary
from custody.model.record import Document, Record
from custody.model.skill.error_type import ErrorType
from custody.model.skill.job import (
    DesignCandidate,
    JobRuntime,
    JobSkill,
    ReportFile,
    SelectedDesign,
)

JobStatus = Literal["RUNNING", "PASS", "FAIL"]


class Locator(Record, frozen=True):
    """How the design of a job was found."""

    mode: str
    query: str
    candidates: tuple[DesignCandidate, ...] | UnsetType = UNSET
    selected: SelectedDesign | UnsetType = UNSET
    selection_reason: str = ""


class JobDesign(Record, frozen=True):
    """The design of a job; its paths are empty as long as none was found."""

    enc_path: str
    enc_dat_path: str
    locator: Locator


class JobArtifacts(Record, frozen=True):
    """Where the evidence of a job is, relative to its run directory."""

    timeline: str
    summary_json: str
    summary_md: str
    reports_dir: str
    session_dir: str
    debug_bundle_dir: str | UnsetType = UNSET
    restore_wrapper: str | UnsetType = UNSET
    """The one script that sources the design, once it was written."""
    restore_request: str | UnsetType = UNSET
    """The id of the request to restore it, once it was made."""
    restore_ack: str | UnsetType = UNSET


class JobManifest(Document, frozen=True, kw_only=True):
    """``job_manifest.json``: what the job is about, and how it ended.

    It is of version 1.1 where its launcher or its tool is one that 1.0 does not know.
    """

    job_id: str
    created_at: str
    status: JobStatus
    error_type: ErrorType
    """``OK`` as long as nothing has failed."""
    message: str = ""
    """Of a job that failed: why."""
    runtime: JobRuntime
    design: JobDesign
    skill: JobSkill
    artifacts: JobArtifacts
    versions: dict[str, str]
    checksums: dict[str, str] = {}
    """sha256 by path: the scripts as they were sourced, the contract."""


class TimelineEvent(Document, frozen=True, kw_only=True):
    """One line of ``job_timeline.jsonl``."""

    ts: str
    job_id: str
    level: Literal["INFO", "WARN", "ERROR"]
    event: str
    state: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET


class SummaryDesign(Record, frozen=True):
    """The design in a summary."""

    enc_path: str
    enc_dat_path: str


class SummarySkill(Record, frozen=True):
    """The skill in a summary."""

    name: str
    version: str


class SummaryEvidence(Record, frozen=True):
    """Where the evidence is; all but the first relative to it."""

    run_dir: str
    summary_md: str
    reports_dir: str
    debug_bundle_dir: str | UnsetType = UNSET


class JobSummary(Summary, frozen=True, kw_only=True):
    """``summary.json`` of a job: the document's fields, beside those that every run has."""

    job_id: str
    error_type: ErrorType
    design: SummaryDesign
    skill: SummarySkill
    metrics: dict[str, float | int | str]
    evidence: SummaryEvidence


class Inventory(Document, frozen=True, kw_only=True):
    """``docs/reports_inventory.json``: what was below ``reports/`` when the job ended."""

    files: tuple[ReportFile, ...]
    more: int = 0
    """Files beyond those."""


class BundlePointers(Record, frozen=True):
    """Where the parts of a bundle are, relative to it; without those that there are none of."""

    manifest: str
    timeline: str
    reports_inventory: str
    last_fail_ack: str | UnsetType = UNSET
    session_logs: tuple[str, ...] | UnsetType = UNSET
    contract: str | UnsetType = UNSET


class BundleIndex(Document, frozen=True, kw_only=True):
    """``debug_bundle/index.json``: what failed, and where to look."""

    job_id: str
    error_type: ErrorType
    summary: str
    """Of one to three lines."""
    pointers: BundlePointers
    next_actions: tuple[str, ...]


class ReportsInventory(Inventory, frozen=True, kw_only=True):
    """``debug_bundle/reports_inventory.json``: the same, and what of it does not do."""

    missing: tuple[str, ...] = ()
    """Required outputs that match nothing, as the contract says them."""
    empty: tuple[str, ...] = ()
    """Files of required outputs that are empty."""
    contract: str = ""
    """Where the contract is that asks for them, relative to the bundle."""
