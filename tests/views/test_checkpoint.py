"""How far a journal is known to be good, and where its run stands."""

from __future__ import annotations

from custody.model.event import PipelineStarted, Position, StageStarted
from custody.model.state import State
from custody.views.checkpoint import checkpoint
from support.facts import sample

REACHED = Position(events=7, offset=700, head="f" * 64)


def test_a_run_at_a_stage() -> None:
    state = State()
    state.apply(sample(PipelineStarted, pipeline_sha256="a" * 64))
    state.apply(sample(StageStarted, node="work", visit=2, attempt=1))
    made = checkpoint("r1", state, REACHED)
    assert (made.run_id, made.status, made.pipeline_sha256) == ("r1", "RUNNING", "a" * 64)
    assert (made.node, made.visit, made.attempt, made.steps) == ("work", 2, 1, 1)
    assert (made.events, made.offset, made.head) == tuple(REACHED)


def test_a_run_that_has_entered_nothing() -> None:
    made = checkpoint("r1", State(), Position(events=1, offset=10, head=""))
    assert (made.node, made.visit, made.attempt, made.steps) == ("", 0, 0, 0)
