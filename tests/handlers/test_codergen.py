"""What an agent is asked, and how its answer is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody import api
from custody.handlers import catalog
from custody.model.event import StageCompleted, StageFailed, StageStarted
from custody.model.request import AgentRequest
from custody.pipeline.read import read_pipeline
from support.bench import Bench


def book(bench: Bench, *answers: dict[str, object]) -> str:
    """Write recorded answers; return the agent that plays them."""
    path = bench.home / "answers.json"
    path.write_text(json.dumps({"answers": list(answers)}))
    return f"fake:{path}"


@pytest.mark.req("P-13")
def test_a_node_may_name_its_own_agent(bench: Bench) -> None:
    bench.run('a [prompt="x", agent="stub"]\nb [prompt="y"]\nstart -> a -> b -> done')
    asked = {
        fact.node: fact.request.agent
        for fact in bench.facts()
        if isinstance(fact, StageStarted) and isinstance(fact.request, AgentRequest)
    }
    assert asked == {"a": "stub", "b": "fake"}


def test_templates_are_filled_in(bench: Bench) -> None:
    bench.run(
        'a [prompt="$goal in ${language} for ${run_id}; $HOME costs $$5"]\nstart -> a -> done',
        graph='var.language="Rust"',
        variables={"language": "Python"},
    )
    prompt = bench.path("nodes/a/1.1/prompt.md").read_text()
    assert prompt == "ship it in Python for r1; $HOME costs $5\n"


def test_answers_are_played_in_order_and_the_last_repeats(bench: Bench) -> None:
    agent = book(
        bench,
        {"text": "one", "outcome": "fail", "edits": [{"path": "a.txt", "content": "1"}]},
        {"text": "two", "edits": [{"path": "a.txt", "content": None}]},
    )
    bench.run(
        'a [prompt="x"]\nb [prompt="y", agent="stub"]\nstart -> a\n'
        'a -> a [condition="outcome=fail"]\na -> b -> done',
        agent=agent,
    )
    texts = [bench.path(f"nodes/a/{n}.1/response.md").read_text() for n in (1, 2)]
    assert texts == ["one", "two"]
    assert not bench.path("workspace/a.txt").exists()


PLAN = {"required_files": ["a.txt"], "commands": ["test -f a.txt"]}


def test_a_json_block_of_the_response_becomes_context(bench: Bench) -> None:
    agent = book(bench, {"text": f"Done.\n\n```json\n{json.dumps(PLAN)}\n```\n"})
    (bench.workdir / "a.txt").write_text("x")
    result = bench.run(
        'a [prompt="x", response_context="verification.plan"]\n'
        'v [type=verification, verification.allowed_commands="test -f"]\nstart -> a -> v -> done',
        agent=agent,
    )
    assert result.summary.status == "PASS"
    completed = [fact for fact in bench.facts() if isinstance(fact, StageCompleted)]
    assert completed[1].outcome.context_updates == {"verification.plan": PLAN}


@pytest.mark.parametrize(
    "text",
    ["no block at all", "```json\n{}\n```\n```json\n{}\n```", "```json\n{half\n```", "```json\n{}"],
)
def test_a_response_without_its_json_block_fails(bench: Bench, text: str) -> None:
    bench.run(
        'a [prompt="x", response_context="verification.plan"]\nstart -> a -> done',
        agent=book(bench, {"text": text}),
    )
    failed = next(fact for fact in bench.facts() if isinstance(fact, StageFailed))
    assert "response.md" in failed.outcome.failure_reason


@pytest.mark.req("P-14")
@pytest.mark.parametrize(
    ("attribute", "code"),
    [
        ("codex.sandbox=none", "attribute"),
        ("codex.approval_policy=always", "attribute"),
        ('codex.workdir="../x"', "traversal"),
        ('codex.add_dirs="docs,/etc"', "absolute"),
        ("codex.timeout=soon", "attribute"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_found(attribute: str, code: str) -> None:
    source = (
        "digraph p { start [shape=Mdiamond] done [shape=Msquare]\n"
        f'a [prompt="hi", {attribute}]\n start -> a -> done }}'
    )
    _, findings = read_pipeline(source.encode(), catalog())
    assert [finding.code for finding in findings] == [code]


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ('response_context=x, response_schema="{"', "response_schema: "),
        ('response_context=x, response_schema="{\\"oneof\\": []}"', "'oneof' is no keyword"),
        ('response_schema="{}"', "without response_context"),
    ],
)
def test_a_schema_that_cannot_be_meant_is_found(tmp_path: Path, attributes: str, why: str) -> None:
    path = tmp_path / "p.dot"
    path.write_text(
        "digraph p { start [shape=Mdiamond] done [shape=Msquare]\n"
        f'ask [prompt="x", {attributes}]\nstart -> ask -> done }}'
    )
    _, findings = api.check(str(path))
    assert any(why in finding.message for finding in findings)
