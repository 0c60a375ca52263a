"""What ran, on what, and how it ended."""

from __future__ import annotations

import msgspec

from custody.model.change import Tree
from custody.model.confinement import ChosenLevel
from custody.model.event import PipelineCompleted, PipelineStarted, Position
from custody.model.record import encode
from custody.model.state import State
from custody.views.manifest import closing_manifest, opening_manifest
from support.facts import sample

STARTED: PipelineStarted = sample(
    PipelineStarted, pipeline="p", goal="ship it", variables={"x": "1"}, agent="fake"
)
FINAL = Tree(sha256="f" * 64, entries=3, bytes=4)


def ended() -> State:
    state = State()
    state.apply(STARTED)
    state.apply(sample(PipelineCompleted, node="done"))
    return state


def test_while_the_run_goes_on() -> None:
    manifest = opening_manifest("r1", STARTED, "t0")
    assert (manifest.run_id, manifest.pipeline, manifest.goal) == ("r1", "p", "ship it")
    assert (manifest.status, manifest.started_at, manifest.ended_at) == ("RUNNING", "t0", "")
    assert (manifest.events, manifest.head, manifest.final_workspace) == (0, "", None)


def test_at_the_end() -> None:
    opening = opening_manifest("r1", STARTED, "t0")
    reached = Position(events=9, offset=900, head="a" * 64)
    closing = closing_manifest(opening, ended(), reached, ended_at="t9", workspace=FINAL)
    assert (closing.status, closing.ended_at, closing.final_workspace) == ("PASS", "t9", FINAL)
    assert (closing.events, closing.head) == (9, "a" * 64)
    assert closing.started_at == "t0"


def test_what_took_over_on_the_way_is_what_is_told() -> None:
    state = ended()
    state.pipeline_sha256, state.parts = "b" * 64, {"part.dot": "c" * 64}
    state.confinement = ChosenLevel(level="L3")
    opening = opening_manifest("r1", STARTED, "t0")
    reached = Position(events=1, offset=1, head="")
    closing = closing_manifest(opening, state, reached, ended_at="", workspace=FINAL)
    assert (closing.pipeline_sha256, closing.parts) == ("b" * 64, {"part.dot": "c" * 64})
    assert closing.confinement == ChosenLevel(level="L3")


def test_parts_are_told_where_there_are_any() -> None:
    assert b'"parts"' not in encode(opening_manifest("r1", STARTED, ""))
    with_parts = msgspec.structs.replace(STARTED, parts={"part.dot": "x"})
    assert b'"parts":{"part.dot":"x"}' in encode(opening_manifest("r1", with_parts, ""))
