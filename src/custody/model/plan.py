"""A verification plan, as an agent may write it, and what came of it."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from custody.model.record import Document, Record


class VerificationPlan(Record, frozen=True):
    """What must be true of the workspace. Written by an agent: nothing in it is trusted."""

    schema_version: str = "1.0"
    required_files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


class FileResult(Record, frozen=True):
    """Whether a required file was there."""

    path: str
    present: bool


class CommandResult(Record, frozen=True):
    """What one command of the plan did."""

    command: str
    exit_code: int | None
    """None when the runtime ended it, or could not end all that it had started."""
    seconds: float
    stdout: str
    """The stream's file, relative to the run directory."""
    stderr: str
    ended_by: str = ""
    """Why the runtime ended it: ``timeout``, ``limit_exceeded: memory (4G)`` …; empty when it
    did not."""


class VerificationResults(Document, frozen=True, kw_only=True):
    """``verification.results.json``: every check of the plan, up to the first that failed."""

    schema_version: str = "1.1"
    files: tuple[FileResult, ...]
    commands: tuple[CommandResult, ...]
    passed: bool | UnsetType = UNSET
    failure_reason: str | UnsetType = UNSET
    """Whether all was well, in records of version 1.0; now the gate ``verification`` says so."""
