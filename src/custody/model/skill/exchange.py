"""What a job asks of its tool, and what comes of it: ``queue/<id>.json``, ``ack/<id>.json``."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from custody.model.record import Document
from custody.model.skill.error_type import ErrorType

SOURCE_TCL: Literal["SOURCE_TCL"] = "SOURCE_TCL"
"""All that a tool is ever asked to do."""


class SourceRequest(Document, frozen=True, kw_only=True):
    """``queue/<request_id>.json``: a script that the tool is to source."""

    request_id: str
    """``<job_id>_<seq4>_<tag>``."""
    job_id: str
    action: Literal["SOURCE_TCL"] = SOURCE_TCL
    script: str
    """``scripts/<name>.tcl``, relative to the run directory."""
    timeout_s: float | UnsetType = UNSET
    """Seconds without an ack after which the job gives the tool up."""
    created_at: str
    """UTC, ISO 8601."""
    script_sha256: str | UnsetType = UNSET
    """What the script must be when it is sourced."""


class SourceAck(Document, frozen=True, kw_only=True):
    """``ack/<request_id>.json``: what came of a request, written once."""

    request_id: str
    job_id: str
    status: Literal["PASS", "FAIL"]
    error_type: ErrorType
    message: str
    """Of a failure: what it is, short, with something to do about it."""
    started_at: str | UnsetType = UNSET
    finished_at: str | UnsetType = UNSET
    duration_ms: float | UnsetType = UNSET
    evidence_paths: tuple[str, ...] = ()
    """What shows it, relative to the run directory."""


class ToolClaim(msgspec.Struct, frozen=True, kw_only=True):
    """What the tool itself says of a request; whether that holds is judged."""

    request_id: str
    job_id: str
    status: Literal["PASS", "FAIL"]
    token: int
    error_type: str = ""
    message: str = ""
    started_at: str = ""
    finished_at: str = ""
    duration_ms: float = 0.0
