"""Where the engine walks: through a run's own pipeline, or that of one item."""

from __future__ import annotations

import pytest

from custody import api
from custody.engine.frame import Frame
from custody.model.event import PipelineStarted
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
    return Frame.of_run(api.load(bench.pipeline(OVER_RANGE.format(more=""))), STARTED)


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
    frame = Frame.of_run(api.load(bench.pipeline(OVER_RANGE.format(more=""))), STARTED)
    item = frame.of_item(frame.pipeline.nodes["tasks"], 1, 1, 1)
    assert (item.values["lang"], item.values["own"], item.values["goal"]) == ("py", "1", "its own")


@pytest.mark.parametrize(("graph", "bounded"), [("", False), ("max_tokens=5", True)])
def test_what_lies_in_a_bounded_run_is_bounded_too(bench: Bench, graph: str, bounded: bool) -> None:
    part(bench)
    path = bench.pipeline(OVER_RANGE.format(more=""), graph=graph)
    frame = Frame.of_run(api.load(path), STARTED)
    item = frame.of_item(frame.pipeline.nodes["tasks"], 1, 1, 1)
    assert (frame.bounded, item.bounded) == (bounded, bounded)
