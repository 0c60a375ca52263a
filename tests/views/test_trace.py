"""What a person debugs a run with: inputs, outputs, context changes and routes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.model.event import (
    FACTS,
    AnyFact,
    PipelineStarted,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageStarted,
)
from custody.model.outcome import Outcome, Route
from custody.model.state import State
from custody.views.trace import trace_line
from support.facts import line_of, sample


def traced(fact: AnyFact, before: State | None = None) -> Any:
    line = trace_line(line_of(fact, 5), fact, before or State())
    assert line.endswith(b"\n")
    return json.loads(line)


def with_context(**values: Any) -> State:
    state = State()
    state.apply(sample(PipelineStarted, goal="g"))
    outcome = Outcome(status="success", context_updates=values)
    state.apply(StageCompleted(node="a", visit=1, attempt=1, outcome=outcome))
    return state


@pytest.mark.parametrize("name", FACTS)
def test_each_kind_is_traced_as_it_says(name: str) -> None:
    fact = sample(FACTS[name])
    line = trace_line(line_of(fact, 5), fact, State())
    if fact.traits.traced_as is None:
        assert line == b""
    else:
        assert json.loads(line)["record"] == fact.traits.traced_as
        assert json.loads(line)["seq"] == 5


def test_what_an_attempt_could_see() -> None:
    state = with_context(b=1, a=2)
    state.last_failure = {"node": "x", "reason": "y"}
    data = traced(sample(StageStarted, node="w", visit=1, attempt=2), state)["data"]
    assert data["context_keys"] == ["a", "b", "graph.goal"]
    assert data["last_failure"] == {"node": "x", "reason": "y"}
    assert (data["visit"], data["attempt"]) == (1, 2)


def test_what_a_stage_changed_in_the_context() -> None:
    outcome = Outcome(status="success", context_updates={"a": 2, "same": 1, "new": 3})
    fact = StageCompleted(node="w", visit=1, attempt=1, outcome=outcome)
    data = traced(fact, with_context(a=1, same=1))["data"]
    assert data["context_delta"] == {"added": ["new"], "updated": ["a"], "removed": []}


def test_a_failure_has_its_outcome() -> None:
    fact = StageFailed(node="w", visit=1, attempt=1, outcome=Outcome(status="fail"))
    told = traced(fact)
    assert (told["record"], told["node"]) == ("NodeExecutionErrored", "w")
    assert told["data"]["outcome"]["status"] == "fail"


def test_every_edge_that_was_looked_at_is_told() -> None:
    route = Route(target="b", by_condition=True, candidates=())
    assert traced(RouteChosen(node="a", route=route))["data"]["target"] == "b"
