"""``artifacts/verify_report.json``: how the last round of a change was judged."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from custody.model.record import Record


class ReportedCommand(Record, frozen=True):
    """One command that judged the change."""

    cmd: str
    exit_code: int
    """-1 when it did not come to an end of its own."""


class ReportedFailure(Record, frozen=True):
    """One thing that was wrong."""

    kind: str
    """Which gate found it, or ``stage`` where none was asked."""
    id: str
    """The stable name of what is wrong."""
    message: str


class ReportPaths(Record, frozen=True):
    """Where in the run directory everything lies."""

    trace: str
    verify_report: str
    stdout_log: str
    stderr_log: str
    bundle: str | UnsetType = UNSET
    plan: str | UnsetType = UNSET
    patch: str | UnsetType = UNSET


class VerifyReport(Record, frozen=True):
    """The verdict about a change."""

    result: Literal["PASS", "FAIL"]
    gate: str
    """``lite`` or ``full``."""
    iteration: int
    max_iterations: int
    commands: tuple[ReportedCommand, ...]
    failures: tuple[ReportedFailure, ...]
    paths: ReportPaths
