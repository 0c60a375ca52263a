"""How a stage ended, and where the run goes from there."""

from __future__ import annotations

from typing import Any, Literal

from custody.model.record import Document, Record
from custody.model.verdict import Verdict

OutcomeStatus = Literal["success", "fail", "retry", "partial_success"]
OUTCOMES: tuple[OutcomeStatus, ...] = ("success", "fail", "retry", "partial_success")


class Outcome(Record, frozen=True, omit_defaults=True):
    """What a handler made of an ack."""

    status: OutcomeStatus
    failure_reason: str = ""
    failure_summary: str = ""
    notes: str = ""
    context_updates: dict[str, Any] = {}
    refused: tuple[Verdict, ...] = ()
    """The refusals that made it fail; such a failure is never retried."""


class Candidate(Record, frozen=True):
    """One edge that was looked at when the next node was chosen."""

    target: str
    condition: str
    weight: int
    matched: bool


class Route(Record, frozen=True):
    """Which way a run went, and what else it could have done."""

    target: str
    """Empty when no edge could be taken."""
    by_condition: bool
    """Whether the edge taken was conditioned on the outcome."""
    candidates: tuple[Candidate, ...]


class StageStatus(Document, frozen=True, kw_only=True):
    """``status.json`` of one attempt."""

    node: str
    visit: int
    attempt: int
    outcome: OutcomeStatus
    failure_reason: str
    notes: str
    context_updates: dict[str, Any]
    seconds: float
