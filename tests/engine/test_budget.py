"""What may be spent is bounded, and what was spent stays spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.engine import loop
from custody.engine.route import choose
from custody.errors import PipelineInvalid
from custody.model.event import RequestAnswered, StageStarted
from custody.model.process_event import PipelineReplaced
from support.bench import Bench

LOOP = """
a [prompt="x", max_visits=100{a}]
b [prompt="y", max_visits=100]
start -> a -> b
b -> a [condition="outcome=fail"]
b -> done [condition="outcome=success"]
"""
USAGE = {"input_tokens": 60, "output_tokens": 40, "cost_usd": 0.25}


def book(home: Path, **answer: Any) -> str:
    """Write an agent that always costs the same; return how it is named."""
    path = home / "book.json"
    path.write_text(json.dumps({"answers": [{"text": "ok", "usage": USAGE, **answer}]}))
    return f"fake:{path}"


def answers(bench: Bench) -> int:
    return sum(isinstance(fact, RequestAnswered) for fact in bench.facts())


@pytest.mark.parametrize(
    ("graph", "node", "reason", "asked"),
    [
        ("max_cost=1.0", "", "budget exceeded: max_cost of the run: 1.25 of 1", 5),
        ("max_cost=1", "", "budget exceeded: max_cost of the run: 1.25 of 1", 5),
        ("max_tokens=250", "", "budget exceeded: max_tokens of the run: 300 of 250", 3),
        ("max_tokens=0", "", "budget exceeded: max_tokens of the run: 100 of 0", 1),
        ("", ", max_cost=0.3", "budget exceeded: max_cost of a: 0.5 of 0.3", 4),
        ("", ", max_tokens=100", "budget exceeded: max_tokens of a: 200 of 100", 4),
    ],
)
def test_no_stage_begins_when_too_much_was_spent(
    bench: Bench, graph: str, node: str, reason: str, asked: int
) -> None:
    agent = book(bench.home, outcome="fail")
    body = LOOP.format(a=node).replace(
        "start -> a -> b", 'start -> a\na -> b [condition="outcome=fail"]\na -> b'
    )
    result = bench.run(body, graph=graph, agent=agent)
    assert (result.summary.status, result.summary.reason) == ("FAIL", reason)
    assert answers(bench) == asked
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "FAIL"


def test_what_fits_passes(bench: Bench) -> None:
    graph = "max_cost=0.5, max_tokens=200, max_seconds=60"
    result = bench.run(LOOP.format(a=", max_tokens=100"), graph=graph, agent=book(bench.home))
    assert result.summary.status == "PASS"


def test_a_run_that_ends_over_its_budget_fails(bench: Bench) -> None:
    result = bench.run(LOOP.format(a=""), graph="max_tokens=199", agent=book(bench.home))
    assert result.summary.reason.startswith("budget exceeded: max_tokens")


def test_no_attempt_begins_when_too_much_was_spent(bench: Bench) -> None:
    body = 'a [prompt="x", max_retries=50, retry_delay=0, max_tokens=250] start -> a -> done'
    result = bench.run(body, agent=book(bench.home, outcome="retry"))
    assert answers(bench) == 3
    assert result.summary.status == "FAIL"


def test_a_stage_gets_no_more_time_than_is_left(bench: Bench) -> None:
    body = (
        'a [type=tool, tool_command="sleep 0.2"] b [type=tool, tool_command="sleep 30"] '
        "start -> a -> b -> done"
    )
    result = bench.run(body, graph='max_seconds="5s"')
    assert result.summary.status == "FAIL"
    assert result.summary.active_seconds < 10
    first, second = (
        fact.request.timeout
        for fact in bench.facts()
        if isinstance(fact, StageStarted) and fact.request
    )
    assert first == 5
    assert 0 < second < 4.85
    assert result.summary.reason.startswith("budget exceeded: max_seconds of the run")


def test_a_resume_does_not_refresh_a_budget(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process is ended after one stage; all of them together get one budget."""

    class Killed(BaseException):
        pass

    route = choose

    def dies(*given: Any, **named: Any) -> Any:
        if bench.runsdir.exists() and answers(bench) >= allowed[-1]:
            raise Killed
        return route(*given, **named)

    monkeypatch.setattr(loop, "choose", dies)
    body, agent = LOOP.format(a=""), book(bench.home, outcome="fail")
    body = body.replace("start -> a -> b", 'start -> a\na -> b [condition="outcome=fail"]\na -> b')
    allowed = [1]
    with pytest.raises(Killed):
        bench.run(body, graph="max_tokens=350", agent=agent)
    for stages in (2, 3):
        allowed.append(stages)
        with pytest.raises(Killed):
            api.resume("r1", runsdir=str(bench.runsdir))
    allowed.append(100)
    result = api.resume("r1", runsdir=str(bench.runsdir))
    assert result.summary.reason == "budget exceeded: max_tokens of the run: 400 of 350"
    assert answers(bench) == 4
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary == result.summary


@pytest.fixture
def changed(bench: Bench) -> Bench:
    """Return a bench with a run that spent 300 tokens, 200 of them on work since set aside."""
    body = (
        'a [prompt="x"] b [prompt="y"] c [prompt="z", test.outcome="fail"] start -> a -> b -> c '
        'c -> done [condition="outcome=success"]'
    )
    result = bench.run(body, agent=book(bench.home))
    assert result.summary.status == "FAIL"
    path = bench.pipeline(
        body.replace('"y"', '"another"').replace(', test.outcome="fail"', ""),
        graph="max_tokens=450",
    )
    api.resume("r1", runsdir=str(bench.runsdir), pipeline=path, accept_change=True)
    return bench


def test_work_that_a_changed_pipeline_set_aside_stays_spent(changed: Bench) -> None:
    facts = changed.facts()
    (replaced,) = (fact for fact in facts if isinstance(fact, PipelineReplaced))
    assert {node: spent.tokens for node, spent in replaced.discarded.items()} == {
        "b": 100,
        "c": 100,
    }
    result = api.show("r1", runsdir=str(changed.runsdir))
    assert result.summary.reason == "budget exceeded: max_tokens of the run: 500 of 450"
    assert api.replay("r1", runsdir=str(changed.runsdir)).status == "FAIL"
    assert api.verify("r1", runsdir=str(changed.runsdir)).mismatches == ()


def test_a_fork_knows_what_was_spent(changed: Bench) -> None:
    result = api.fork("r1", "c", runsdir=str(changed.runsdir), run_id="f1")
    assert result.summary.reason == "budget exceeded: max_tokens of the run: 500 of 450"
    assert api.replay("f1", runsdir=str(changed.runsdir)).status == "FAIL"
    assert api.verify("f1", runsdir=str(changed.runsdir)).mismatches == ()


@pytest.mark.parametrize(
    "graph", ["max_cost=much", "max_tokens=1.5", "max_seconds=0", "max_cost=-1", "max_tokens=-1"]
)
def test_a_budget_that_makes_no_sense_is_found_first(bench: Bench, graph: str) -> None:
    with pytest.raises(PipelineInvalid):
        bench.run(LOOP.format(a=""), graph=graph)


@pytest.mark.req("G-24")
@pytest.mark.parametrize("more", ["", ", allow_partial=true"])
def test_a_budget_that_is_exceeded_during_retries_ends_the_run_whatever_edges_say(
    bench: Bench, more: str
) -> None:
    body = (
        f'a [prompt="x", max_retries=5, retry_delay="0s", max_cost=0.3{more}]\nstart -> a -> done\n'
        'a -> done [condition="outcome=fail"]'
    )
    result = bench.run(body, agent=book(bench.home, outcome="fail"))
    reason = "budget exceeded: max_cost of a: 0.5 of 0.3"
    assert (result.summary.status, result.summary.reason) == ("FAIL", reason)
    assert answers(bench) == 2
    assert api.verify("r1", runsdir=str(bench.runsdir)).mismatches == ()
