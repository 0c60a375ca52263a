"""Where the engine walks: through a run's own pipeline, or that of one item."""

from __future__ import annotations

import math

import pytest

from custody import api
from custody.engine.frame import Frame
from custody.model.event import PipelineStarted, StageStarted
from custody.model.state import State
from support.bench import Bench
from support.facts import sample
from support.lists import OVER_RANGE, part

STARTED: PipelineStarted = sample(
    PipelineStarted, decided_as="r1", variables={"lang": "py", "field.x": "1"}
)


@pytest.fixture
def frame(bench: Bench) -> Frame:
    """Return the frame of a run that works through a list."""
    part(bench)
    return Frame.of_run(api.load(bench.pipeline(OVER_RANGE.format(more=""))), STARTED, State())


def test_names_of_templates_are_those_of_the_run(frame: Frame) -> None:
    assert frame.values["goal"] == "ship it"
    assert (frame.values["run_id"], frame.values["lang"]) == ("r1", "py")
    assert (frame.prefix, frame.name) == ("", "the run")


def test_an_item_has_its_own_names(frame: Frame) -> None:
    item = frame.of_item(frame.pipeline.nodes["tasks"], "second", 2, 3)
    assert (item.prefix, item.name) == ("tasks.2.", "item tasks.2")
    assert set(item.pipeline.nodes) == {
        f"tasks.2.{name}" for name in ("start", "draft", "audit", "done")
    }
    assert (item.values["item"], item.values["index"], item.values["count"]) == ("second", "2", "3")
    assert (item.values["goal"], item.values["lang"]) == ("ship it", "py")
    assert list(item.outwards()) == [item, frame]


def test_a_value_of_the_run_comes_before_a_default_of_the_part(bench: Bench) -> None:
    text = 'digraph t { graph [goal="its own", var.lang=go, var.own=1]\n'
    text += "start [shape=Mdiamond] done [shape=Msquare] start -> done }\n"
    part(bench, text)
    frame = Frame.of_run(api.load(bench.pipeline(OVER_RANGE.format(more=""))), STARTED, State())
    item = frame.of_item(frame.pipeline.nodes["tasks"], 1, 1, 1)
    assert (item.values["lang"], item.values["own"], item.values["goal"]) == ("py", "1", "its own")


@pytest.mark.parametrize(("graph", "steps"), [("", math.inf), ("max_steps=5", 5)])
def test_how_many_stages_may_be_entered(bench: Bench, graph: str, steps: float) -> None:
    path = bench.pipeline("start -> done", graph=graph)
    state = State()
    frame = Frame.of_run(api.load(path), STARTED, state)
    assert frame.max_steps == steps
    assert frame.scope is state


def test_an_item_has_a_scope_of_its_own(bench: Bench) -> None:
    part(bench)
    state = State()
    frame = Frame.of_run(api.load(bench.pipeline(OVER_RANGE.format(more=""))), STARTED, state)
    state.apply(StageStarted(node="tasks", type="each", visit=1, attempt=1, request=None))
    first, second = (frame.of_item(frame.pipeline.nodes["tasks"], 1, index, 2) for index in (1, 2))
    assert first.scope is state.scope("tasks.1.draft")
    assert [each.scope.above for each in (first, second)] == [state, state]
    assert first.scope is not second.scope


@pytest.mark.parametrize(("graph", "bounded"), [("", False), ("max_tokens=5", True)])
def test_what_lies_in_a_bounded_run_is_bounded_too(bench: Bench, graph: str, bounded: bool) -> None:
    part(bench)
    path = bench.pipeline(OVER_RANGE.format(more=""), graph=graph)
    frame = Frame.of_run(api.load(path), STARTED, State())
    item = frame.of_item(frame.pipeline.nodes["tasks"], 1, 1, 1)
    assert (frame.bounded, item.bounded) == (bounded, bounded)
