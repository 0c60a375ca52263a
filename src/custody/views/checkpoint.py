"""``checkpoint.json``: how far the journal is known to be good."""

from __future__ import annotations

from custody.model.documents import Checkpoint
from custody.model.event import Position
from custody.model.state import State


def checkpoint(run_id: str, state: State, reached: Position) -> Checkpoint:
    """Return the checkpoint of a run that stands at ``state`` when its journal goes so far."""
    return Checkpoint(
        run_id=run_id,
        pipeline_sha256=state.pipeline_sha256,
        status=state.status,
        node=state.node,
        visit=state.visits.get(state.node, 0),
        attempt=state.attempt,
        steps=state.steps,
        events=reached.events,
        offset=reached.offset,
        head=reached.head,
    )
