"""``status.json`` of an attempt."""

from __future__ import annotations

from custody.model import layout
from custody.model.event import AnyFact, StageCompleted, StageFailed, StageRetrying
from custody.model.outcome import StageStatus


def stage_status(fact: AnyFact, seconds: float) -> tuple[str, StageStatus] | None:
    """Return the attempt's folder and its status, for a fact that ends an attempt."""
    if not isinstance(fact, StageCompleted | StageFailed | StageRetrying):
        return None
    status = StageStatus(
        node=fact.node,
        visit=fact.visit,
        attempt=fact.attempt,
        outcome=fact.outcome.status,
        failure_reason=fact.outcome.failure_reason,
        notes=fact.outcome.notes,
        context_updates=fact.outcome.context_updates,
        seconds=seconds,
    )
    return layout.attempt_folder(fact.node, fact.visit, fact.attempt), status
