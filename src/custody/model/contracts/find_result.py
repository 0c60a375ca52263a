"""``artifacts/find_result.json``: the workflow that fits a goal best, and the others."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

FIND_RESULT: Literal["ctcp-find-result-v1"] = "ctcp-find-result-v1"


class WorkflowCandidate(Record, frozen=True):
    """One workflow, and how well it fits."""

    workflow_id: str
    version: str
    score: float
    """From 0 for one that has nothing to do with the goal to 1."""
    why: str


class FindResult(Record, frozen=True):
    """`find_result.json`: which workflow was chosen, from which."""

    schema_version: Literal["ctcp-find-result-v1"]
    selected_workflow_id: str
    selected_version: str
    candidates: tuple[WorkflowCandidate, ...]
    """The best first; those with the same score by their id."""
