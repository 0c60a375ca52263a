"""Where a run stands is the fold of its facts."""

from __future__ import annotations

from typing import Any

import pytest

from custody.model.change import Tree
from custody.model.event import (
    AnyFact,
    GatePassed,
    PipelineCompleted,
    PipelineFailed,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.fact import Fact, Traits
from custody.model.outcome import Outcome, Route
from custody.model.process_event import AgentReplaced, RunResumed
from custody.model.request import Ack, Spent, Usage
from custody.model.state import State
from support.bench import Bench

DIFF = Evidence.of_text("nodes/a/1.1/workspace.diff.json", "{}")
FAILURE = Outcome(status="fail", failure_reason="why", failure_summary="how")


def begun(goal: str = "ship it") -> PipelineStarted:
    return PipelineStarted(
        pipeline="p",
        pipeline_sha256="0" * 64,
        decided_as="r1",
        goal=goal,
        variables={},
        agent="fake",
        workdir="",
        workspace=Tree(sha256="0" * 64, entries=0, bytes=0),
        versions={},
    )


def entered(node: str, visit: int = 1, attempt: int = 1, kind: str = "tool") -> StageStarted:
    return StageStarted(node=node, type=kind, visit=visit, attempt=attempt)


def completed(node: str, **context: Any) -> StageCompleted:
    outcome = Outcome(status="success", context_updates=context)
    return StageCompleted(node=node, visit=1, attempt=1, outcome=outcome)


def failed(node: str) -> StageFailed:
    return StageFailed(node=node, visit=1, attempt=1, outcome=FAILURE)


def answered(node: str, tokens: int, *evidence: Evidence) -> RequestAnswered:
    usage = Usage(input_tokens=tokens)
    ack = Ack(request_id=f"{node}/1.1", status="ok", seconds=1, usage=usage, evidence=evidence)
    return RequestAnswered(node=node, ack=ack, diff=DIFF)


def routed(node: str, target: str, *, by_condition: bool) -> RouteChosen:
    route = Route(target=target, by_condition=by_condition, candidates=())
    return RouteChosen(node=node, route=route)


def state(*facts: AnyFact) -> State:
    made = State()
    for fact in (begun(), *facts):
        made.apply(fact)
    return made


def test_a_run_begins_with_its_goal() -> None:
    made = state()
    assert (made.status, made.agent, made.context) == ("RUNNING", "fake", {"graph.goal": "ship it"})


def test_visits_attempts_and_steps() -> None:
    made = state(entered("a"), entered("a", attempt=2), entered("b"), entered("a", visit=2))
    assert (made.visits, made.attempts) == ({"a": 2, "b": 1}, {"a": 3, "b": 1})
    assert made.steps == 3, "another attempt is no step"
    assert (made.node, made.attempt) == ("a", 1)


def test_context_is_what_stages_put_there() -> None:
    made = state(completed("a", x=1), completed("b", x=2, y=3))
    assert made.context == {"graph.goal": "ship it", "x": 2, "y": 3}


def test_a_failure_is_remembered_until_its_stage_succeeds() -> None:
    made = state(failed("a"))
    assert made.last_failure == {"node": "a", "reason": "why", "summary": "how"}
    assert made.unhandled == {"a": "why"}
    made.apply(completed("b"))
    assert made.last_failure["node"] == "a"
    made.apply(completed("a"))
    assert (made.last_failure, made.unhandled) == ({}, {})


def test_a_failure_is_handled_by_an_edge_that_asked_for_it() -> None:
    assert state(failed("a"), routed("a", "b", by_condition=False)).unhandled == {"a": "why"}
    made = state(failed("a"), routed("a", "b", by_condition=True))
    assert made.unhandled == {}
    assert (made.node, made.attempt) == ("b", 0)


def test_an_attempt_that_is_tried_again_leaves_feedback_and_no_failure() -> None:
    retrying = StageRetrying(node="a", visit=1, attempt=1, outcome=FAILURE, delay=0)
    made = state(entered("a"), retrying)
    assert made.last_failure["reason"] == "why"
    assert made.unhandled == {}


def test_costs_are_those_of_the_node_and_of_the_run() -> None:
    made = state(answered("a", 3), answered("a", 4), answered("b", 5))
    assert made.usage == {"a": Spent(tokens=7, seconds=2), "b": Spent(tokens=5, seconds=1)}
    assert made.spent == Spent(tokens=12, seconds=3)
    assert made.active_seconds == 3


def test_a_node_that_has_cost_nothing_is_not_remembered() -> None:
    free = RequestAnswered(
        node="a", ack=Ack(request_id="a/1.1", status="ok"), diff=Evidence.of_text("x", "")
    )
    made = state(free)
    assert (made.usage, made.spent) == ({}, Spent())


def test_documents_are_those_written_last() -> None:
    first, second = Evidence.of_text("docs/a.md", "1"), Evidence.of_text("docs/a.md", "2")
    other = Evidence.of_text("nodes/a/1.1/response.md", "x")
    made = state(answered("a", 0, first, other), answered("b", 0, second))
    assert made.documents == {"docs/a.md": second}


def test_an_item_has_a_scope_while_its_list_is_worked_on() -> None:
    made = state(entered("tasks", kind="each"), entered("tasks.2.draft"))
    made.apply(completed("tasks.2.draft", own=1))
    made.apply(failed("tasks.3.draft"))
    made.apply(answered("tasks.2.draft", 5))
    item = made.scope("tasks.2.audit")
    assert item is made.scope("tasks.2.draft")
    assert item is not made.scope("tasks.3.draft")
    assert item.context["own"] == 1
    assert "own" not in made.context
    assert (made.unhandled, made.scope("tasks.3.draft").unhandled) == (
        {},
        {"tasks.3.draft": "why"},
    )
    assert (item.spent.tokens, made.spent.tokens) == (5, 5)
    assert (item.steps, made.steps) == (1, 2)
    made.apply(completed("tasks"))
    assert made.scope("tasks.2.draft") is made, "the list is done"


def test_a_dot_in_a_name_makes_no_item() -> None:
    made = state(entered("a.b"), entered("a.1.b"))
    assert made.scope("a.1.b") is made


@pytest.mark.parametrize(
    ("fact", "status"),
    [
        (PipelineCompleted(node="done"), "PASS"),
        (PipelineFailed(node="done", reason="x", unhandled={}), "FAIL"),
        (RunResumed(), "RUNNING"),
        (GatePassed(node="a", visit=1, attempt=1, gate="writes"), "RUNNING"),
    ],
)
def test_how_a_run_ends(fact: AnyFact, status: str) -> None:
    assert state(fact).status == status


def test_another_agent_may_take_over() -> None:
    assert state(AgentReplaced(agent="codex")).agent == "codex"


def test_a_kind_that_changes_the_state_cannot_be_overlooked() -> None:
    class Unheard(Fact, frozen=True):
        """A kind that nobody has thought of."""

        traits = Traits(about="run", changes_state=True, traced_as=None, shown_live=False)

    with pytest.raises(TypeError, match="Unheard has no place in the state"):
        State().apply(Unheard())  # type: ignore[arg-type]


def test_two_states_of_the_same_facts_are_equal(bench: Bench) -> None:
    bench.run('a [prompt="x"] b [type=tool, tool_command="false"] start -> a -> b -> done')
    facts = bench.facts()
    one, other = State(), State()
    for fact in facts:
        one.apply(fact)
        other.apply(fact)
    assert vars(one) == vars(other)
    assert one.status == "FAIL"
