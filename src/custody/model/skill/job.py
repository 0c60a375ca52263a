"""What a job records of itself, for its own later states and for its documents."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Document, Record
from custody.model.skill.metric import MetricValue
from custody.model.skill.outputs import FoundOutput


class JobScript(Record, frozen=True):
    """A script of the skill, as the tool is asked to source it."""

    name: str
    script: str
    """``scripts/<name>.tcl``."""
    sha256: str
    timeout_s: float | None = None
    """Seconds that it may take; None where the contract leaves it to the job."""


class JobSkill(Record, frozen=True):
    """Which skill a job runs."""

    name: str
    version: str
    subskill_path: str
    """Where it was loaded from."""


class JobRuntime(Record, frozen=True):
    """Where a job runs."""

    cwd: str
    run_dir: str
    adapter: str
    user: str = ""
    host: str = ""
    env_summary: dict[str, str] = {}
    """Variables that the tool gets beside its own, with their values left out."""


class JobStart(Document, frozen=True, kw_only=True):
    """``docs/job.json``: what is run, and by what it is judged."""

    skill: JobSkill
    runtime: JobRuntime
    tool: str
    scripts: tuple[JobScript, ...] = ()
    error_patterns: tuple[str, ...] = ()
    """A line of the tool's log that one of these is found in says that a script has failed."""
    ignore_patterns: tuple[str, ...] = ()
    """Unless one of these is found in it as well."""
    problems: tuple[str, ...] = ()
    """What the contract names and the skill does not have."""


class DesignCandidate(Record, frozen=True):
    """A design that was found."""

    path: str
    mtime: str
    """UTC, ISO 8601."""
    size: int


class SelectedDesign(Record, frozen=True):
    """The design that the job works on."""

    enc_path: str
    enc_dat_path: str


class Located(Document, frozen=True, kw_only=True):
    """``docs/design.json``: what looking for the design has found."""

    query: str
    """What the user said."""
    mode: Literal["explicit_path", "cwd_scan"]
    candidates: tuple[DesignCandidate, ...] = ()
    selected: SelectedDesign | None = None
    selection_reason: str = ""
    """``direct_match``, ``unique_scan_result`` or ``user_selected``."""
    problem: str = ""
    """Why there is none; empty when there is."""


class ReportFile(Record, frozen=True):
    """A file below ``reports/``."""

    path: str
    size: int
    mtime: str
    """UTC, ISO 8601."""
    sha256: str = ""
    """Empty for what is no plain file, has a name that is no text, or was beyond what is hashed."""


class Outputs(Document, frozen=True, kw_only=True):
    """``docs/outputs.json``: what the skill has left below ``reports/``."""

    required: tuple[FoundOutput, ...]
    inventory: tuple[ReportFile, ...] = ()
    more: int = 0
    """Files beyond those of the inventory."""
    metrics: dict[str, MetricValue] = {}
    metrics_problem: str = ""
    """Why the metrics cannot be read; or empty."""


class SessionState(Document, frozen=True, kw_only=True):
    """``session/state.json``: the tool as the runtime sees it."""

    state: Literal["STARTING", "READY", "BUSY", "ENDED"]
    token: int
    updated_at: str
    last_heartbeat: str = ""
    """When the tool was last seen to renew its heartbeat; UTC, ISO 8601."""
    last_node_heartbeat: str = ""
    """The same of its watcher."""
    pid: int = 0
    process: str = ""
    """What the kernel says of the tool: ``R`` at work, ``S`` or ``D`` waiting, ``T`` stopped."""
    cpu_s: float = 0.0
    reason: str = ""
    """Why it has ended; or empty."""
    exit_code: int | None = None
    signal: int = 0
