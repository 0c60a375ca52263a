"""Whole runs: how they end, what they keep, and what they tell the next stage."""

from __future__ import annotations

import json

import pytest

from custody.model.event import PipelineFailed, RouteChosen, StageFailed, StageStarted
from support.bench import Bench


def test_a_run_goes_from_start_to_exit(bench: Bench) -> None:
    result = bench.run('a [prompt="do it"]\nstart -> a -> done')
    assert result.summary.status == "PASS"
    assert bench.events() == [
        "PipelineStarted",
        "StageStarted start",
        "StageCompleted start",
        "RouteChosen start",
        "StageStarted a",
        "RequestAnswered a",
        "GatePassed a",
        "StageCompleted a",
        "RouteChosen a",
        "StageStarted done",
        "StageCompleted done",
        "PipelineCompleted done",
    ]


def test_a_failure_nobody_handled_fails_the_run(bench: Bench) -> None:
    result = bench.run(
        'a [prompt="x", test.outcome="fail", test.notes="no idea"]\n'
        'b [prompt="y"]\nstart -> a -> b -> done'
    )
    assert result.summary.status == "FAIL"
    assert result.summary.unhandled == {"a": "no idea"}
    assert [row.node for row in result.summary.stages] == ["start", "a", "b", "done"]


def test_a_failure_that_left_by_its_condition_is_handled(bench: Bench) -> None:
    result = bench.run(
        'a [prompt="x", test.outcome="fail"]\nb [prompt="y"]\n'
        'start -> a\na -> b [condition="outcome=fail"]\na -> done\nb -> done'
    )
    assert result.summary.status == "PASS"


def test_a_failure_is_handled_when_the_node_succeeds_later(bench: Bench) -> None:
    result = bench.run(
        'a [prompt="x", test.outcome_sequence="fail,success"]\nb [prompt="y"]\n'
        "start -> a\na -> b [weight=1]\n"
        'a -> done [condition="outcome=success"]\nb -> a'
    )
    assert result.summary.status == "PASS"
    assert result.summary.unhandled == {}


def test_an_exit_may_say_fail(bench: Bench) -> None:
    result = bench.run(
        'bad [shape=Msquare, status=fail]\na [prompt="x", test.outcome="fail"]\n'
        'start -> a\na -> done\na -> bad [condition="outcome=fail"]'
    )
    assert result.summary.status == "FAIL"
    assert result.summary.reason == "reached exit bad"


def test_no_route_ends_the_run(bench: Bench) -> None:
    result = bench.run(
        'a [prompt="x", test.outcome="fail"]\nstart -> a\na -> done [condition="outcome=success"]'
    )
    assert result.summary.reason == "no route from node a for outcome fail"
    assert isinstance(bench.facts()[-1], PipelineFailed)


LOOP = (
    'a [prompt="x", test.outcome="fail"{limit}]\nstart -> a\n'
    'a -> a [condition="outcome=fail"]\na -> done'
)


def test_loops_are_bounded_by_default(bench: Bench) -> None:
    result = bench.run(LOOP.format(limit=""))
    assert result.summary.reason == "max_visits exceeded: a (10)"


def test_a_node_sets_its_own_bound(bench: Bench) -> None:
    result = bench.run(LOOP.format(limit=", max_visits=2"))
    assert result.summary.reason == "max_visits exceeded: a (2)"
    assert len(list(bench.path("nodes/a").iterdir())) == 2


def test_the_graph_bounds_all_steps(bench: Bench) -> None:
    result = bench.run(LOOP.format(limit=", max_visits=100"), graph="max_steps=5")
    assert result.summary.reason == "max_steps exceeded: 5"
    assert sum(isinstance(fact, StageStarted) for fact in bench.facts()) == 5


@pytest.mark.req("P-12")
def test_the_next_agent_is_told_what_failed(bench: Bench) -> None:
    (bench.workdir / "fails.py").write_text(
        "import sys\nprint('to stdout')\nprint('boom', file=sys.stderr)\nsys.exit(7)\n"
    )
    bench.run(
        'check [type=tool, tool_command="python3 fails.py"]\n'
        'fix [prompt="mend it"]\n'
        'start -> check\ncheck -> fix [condition="outcome=fail"]\ncheck -> done\nfix -> done'
    )
    prompt = bench.path("nodes/fix/1.1/prompt.md").read_text()
    assert prompt.startswith("mend it\n")
    assert "7" in prompt
    assert "boom" in prompt
    assert "to stdout" in prompt


@pytest.mark.req("P-12")
def test_feedback_is_gone_once_the_failed_stage_succeeds(bench: Bench) -> None:
    bench.run(
        'check [prompt="c", test.outcome_sequence="fail,success", test.notes="broken thing"]\n'
        'fix [prompt="mend it"]\nlast [prompt="write it up"]\n'
        'start -> check\ncheck -> fix [condition="outcome=fail"]\n'
        'check -> last [condition="outcome=success"]\nfix -> check\nlast -> done'
    )
    assert "broken thing" in bench.path("nodes/fix/1.1/prompt.md").read_text()
    assert bench.path("nodes/last/1.1/prompt.md").read_text() == "write it up\n"


@pytest.mark.req("P-12")
def test_prompt_and_response_are_kept(bench: Bench) -> None:
    long_prompt = "spell it out " * 500
    bench.run(f'a [prompt="{long_prompt}"]\nstart -> a -> done')
    assert bench.path("nodes/a/1.1/prompt.md").read_text() == long_prompt.strip() + "\n"
    assert bench.path("nodes/a/1.1/response.md").read_text() == "Done.\n"


@pytest.mark.req("P-20")
def test_a_prompt_holds_nothing_of_the_pipeline(bench: Bench) -> None:
    bench.run(
        'inspect_first [type=tool, tool_command="false"]\n'
        'secret_builder_node [prompt="Build the thing: $goal", allowed_write_paths="src/", '
        "max_retries=4, max_visits=7]\n"
        'judge_after [prompt="judge"]\n'
        'start -> inspect_first\ninspect_first -> secret_builder_node [condition="outcome=fail"]\n'
        "inspect_first -> done\nsecret_builder_node -> judge_after -> done"
    )
    prompt = bench.path("nodes/secret_builder_node/1.1/prompt.md").read_text()
    assert prompt.startswith("Build the thing: ship it\n")
    for word in (
        "secret_builder_node",
        "judge_after",
        "inspect_first",
        "src/",
        "retries",
        "max_",
        "outcome",
        "pipeline",
        "node",
        "digraph",
        "edge",
        "stage",
    ):
        assert word not in prompt


@pytest.mark.req("P-03")
def test_every_route_is_on_record(bench: Bench) -> None:
    bench.run('a [prompt="x"]\nstart -> a\na -> done\na -> done [condition="outcome=fail"]')
    routes = [fact for fact in bench.facts() if isinstance(fact, RouteChosen)]
    assert [(fact.node, fact.route.target) for fact in routes] == [("start", "a"), ("a", "done")]
    assert len(routes[1].route.candidates) == 2
    traced = [json.loads(line) for line in bench.path("trace.jsonl").read_text().splitlines()]
    assert [t["data"]["target"] for t in traced if t["record"] == "RouteEvaluated"] == ["a", "done"]


@pytest.mark.req("P-05")
def test_a_write_outside_the_allowlist_fails_and_says_which(bench: Bench) -> None:
    (bench.workdir / "src").mkdir()
    (bench.workdir / "keep.txt").write_text("as it was")
    (bench.workdir / "do.py").write_text(
        "open('src/ok.txt','w').write('x'); open('evil.txt','w').write('x'); "
        "open('keep.txt','w').write('changed')"
    )
    result = bench.run(
        'a [type=tool, tool_command="python3 do.py", allowed_write_paths="src/"]\n'
        "start -> a -> done"
    )
    failed = next(fact for fact in bench.facts() if isinstance(fact, StageFailed))
    assert failed.outcome.failure_reason == (
        "guardrail_violation: wrote disallowed files: evil.txt,keep.txt"
    )
    assert result.summary.status == "FAIL"


@pytest.mark.req("P-05")
def test_a_refused_stage_leaves_the_workspace_as_it_was(bench: Bench) -> None:
    (bench.workdir / "keep.txt").write_text("as it was")
    (bench.workdir / "do.py").write_text("import os; os.remove('keep.txt'); os.mkdir('new')")
    bench.run(
        'a [type=tool, tool_command="python3 do.py", allowed_write_paths="src/"]\n'
        "start -> a -> done"
    )
    assert bench.path("workspace/keep.txt").read_text() == "as it was"
    assert not bench.path("workspace/new").exists()
    assert (bench.workdir / "keep.txt").read_text() == "as it was"
