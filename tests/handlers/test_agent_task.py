"""An agent's text becomes a document of the run."""

from __future__ import annotations

import json

import pytest

from custody import api
from custody.model.event import GuardrailViolation, RequestAnswered, StageStarted
from custody.model.request import AgentRequest
from support.bench import Bench
from support.lists import holds

TASK = 'a [type=agent_task, prompt="for $goal", output_path="{path}"]\nstart -> a -> done'
LONG = "long line\n" * 1000


def book(bench: Bench, *answers: dict[str, object]) -> str:
    path = bench.home / "book.json"
    path.write_text(json.dumps({"answers": answers}))
    return f"fake:{path}"


@pytest.mark.req("I-01")
@pytest.mark.parametrize("path", ["docs/a.md", "audits/deep/er/b.md"])
@pytest.mark.parametrize("text", ["short\n", LONG])
def test_the_response_is_written_whole_and_is_evidence(bench: Bench, path: str, text: str) -> None:
    bench.run(TASK.format(path=path), agent=book(bench, {"text": text}))
    assert bench.path(path).read_text() == text
    answered = next(fact for fact in bench.facts() if isinstance(fact, RequestAnswered))
    assert path in [evidence.path for evidence in answered.ack.evidence]
    holds(bench)


@pytest.mark.req("I-01")
@pytest.mark.parametrize("path", ["notes.md", "docs", "docs/../x", "/etc/x", "workspace/docs/x"])
def test_a_document_elsewhere_is_a_finding(bench: Bench, path: str) -> None:
    _pipeline, findings = api.check(bench.pipeline(TASK.format(path=path)))
    assert [finding.severity for finding in findings] == ["error"]


@pytest.mark.req("I-01")
def test_a_path_that_only_a_variable_makes_wrong_is_refused(bench: Bench) -> None:
    result = bench.run(
        TASK.format(path="docs/${name}"),
        graph='var.name="ok.md"',
        variables={"name": "../../escape.md"},
    )
    assert result.summary.status == "FAIL"
    violation = next(fact for fact in bench.facts() if isinstance(fact, GuardrailViolation))
    assert violation.verdicts[0].code == "traversal"
    assert not list(bench.home.rglob("escape.md"))


def test_the_workspace_is_not_for_it(bench: Bench) -> None:
    agent = book(bench, {"text": "t", "edits": [{"path": "a.txt", "content": "x"}]})
    result = bench.run(TASK.format(path="docs/a.md"), agent=agent)
    assert result.summary.status == "FAIL"
    assert not bench.path("workspace/a.txt").exists()
    assert not bench.path("docs/a.md").exists()
    holds(bench)


@pytest.mark.parametrize("level", ["L1", "L3"])
def test_a_program_that_changes_the_workspace_writes_no_document(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    monkeypatch.setenv("CUSTODY_LOCAL_EXEC_ARGV", "sh -ec 'echo x > a.txt; echo text'")
    body = TASK.format(path="docs/a.md")
    result = bench.run(body, agent="local_exec", confinement=level)
    assert result.summary.status == "FAIL"
    assert not bench.path("workspace/a.txt").exists()
    assert not bench.path("docs/a.md").exists()
    holds(bench)


def test_an_empty_response_is_no_document(bench: Bench) -> None:
    result = bench.run(TASK.format(path="docs/a.md"), agent=book(bench, {"text": " \n"}))
    assert result.summary.stages[1].failure_reason == (
        "the response is empty, so there is no document"
    )
    assert not bench.path("docs").exists()


@pytest.mark.parametrize("outcome", ["fail", "retry"])
def test_what_did_not_succeed_writes_nothing(bench: Bench, outcome: str) -> None:
    bench.run(TASK.format(path="docs/a.md"), agent=book(bench, {"text": "t", "outcome": outcome}))
    assert not bench.path("docs").exists()


def test_json_goes_into_the_context_as_well(bench: Bench) -> None:
    agent = book(bench, {"text": '```json\n{"who": {"name": "Ada"}}\n```\n'}, {"text": "b"})
    body = (
        'a [type=agent_task, prompt="x", output_path="docs/a.md", response_context=plan]\n'
        'w [type=write_file, output_path="docs/${context.plan.who.name}.md", '
        'content="${context.plan.who} and ${context.graph.goal}"]\nstart -> a -> w -> done'
    )
    assert bench.run(body, agent=agent).summary.status == "PASS"
    assert bench.path("docs/Ada.md").read_text() == '{"name":"Ada"} and ship it'
    holds(bench)


@pytest.mark.parametrize("text", ["v1\n", LONG])
def test_a_document_that_is_written_again_keeps_its_old_bytes(bench: Bench, text: str) -> None:
    body = (
        'a [type=agent_task, prompt="first", output_path="docs/a.md"]\n'
        'b [type=agent_task, prompt="second: ${doc:docs/a.md}", output_path="docs/a.md"]\n'
        'c [type=agent_task, prompt="third: ${doc:docs/a.md}", output_path="docs/c.md"]\n'
        "start -> a -> b -> c -> done"
    )
    agents = book(bench, {"text": text})
    (bench.home / "second.json").write_text('{"answers": [{"text": "v2"}]}')
    body = body.replace('prompt="second', f'agent="fake:{bench.home}/second.json", prompt="second')
    bench.run(body, agent=agents)
    assert bench.path("docs/a.md").read_text() == "v2"
    assert bench.path("nodes/b/1.1/prompt.md").read_text() == f"second: {text}".strip() + "\n"
    assert bench.path("nodes/c/1.1/prompt.md").read_text() == "third: v2\n"
    holds(bench)
    forked = api.fork("r1", "c", runsdir=str(bench.runsdir), run_id="r2")
    assert forked.summary.status == "PASS"
    holds(bench, "r2")


def test_a_replay_needs_no_live_document(bench: Bench) -> None:
    body = (
        'a [type=agent_task, prompt="x", output_path="docs/a.md"]\n'
        'b [prompt="read ${doc:docs/a.md}"]\nstart -> a -> b -> done'
    )
    bench.run(body, agent=book(bench, {"text": LONG}))
    bench.path("docs/a.md").unlink()
    assert api.replay("r1", runsdir=str(bench.runsdir)).status == "PASS"
    assert [m.where for m in api.verify("r1", runsdir=str(bench.runsdir)).mismatches] == [
        "docs/a.md"
    ]


def test_a_long_document_is_cut_and_says_so(bench: Bench) -> None:
    body = (
        'a [type=agent_task, prompt="x", output_path="docs/a.md"]\n'
        'b [prompt="${doc:docs/a.md}"]\nstart -> a -> b -> done'
    )
    bench.run(body, agent=book(bench, {"text": "ä" * 200_000}))
    prompt = bench.path("nodes/b/1.1/prompt.md").read_text()
    assert prompt.startswith("ä" * 131_072 + "… [cut: 400000 bytes, sha256 ")
    assert len(prompt) < 131_300


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("${doc:docs/none.md}", "no stage has written docs/none.md"),
        ("${doc:docs/${v}}", "path 'docs/../x' is refused: a .. component leaves the directory"),
        ("${context.none}", "nothing in the context is called 'context.none'"),
    ],
)
def test_what_is_not_there_is_refused(bench: Bench, template: str, reason: str) -> None:
    body = f'b [prompt="{template}", max_retries=2]\nstart -> b -> done'
    result = bench.run(body, graph='var.v="../x"')
    assert result.summary.stages[1].failure_reason == reason
    started = [f for f in bench.facts() if isinstance(f, StageStarted) and f.node == "b"]
    assert len(started) == 1
    holds(bench)


@pytest.mark.parametrize(
    "template", ["${doc:secret.md}", "${doc:docs}", "${docs:nodes/}", "${doc:docs/../x}"]
)
def test_a_document_that_cannot_be_is_a_finding(bench: Bench, template: str) -> None:
    name = bench.pipeline(f'b [prompt="{template}"]\nstart -> b -> done')
    assert [finding.code for finding in api.check(name)[1]] == ["template"]


def test_all_documents_of_a_folder_in_the_order_they_were_written(bench: Bench) -> None:
    body = (
        'x [type=write_file, output_path="docs/r/10.md", content="ten"]\n'
        'y [type=write_file, output_path="docs/r/2.md", content="two"]\n'
        'z [type=write_file, output_path="docs/rest.md", content="rest"]\n'
        'b [prompt="${docs:docs/r/}"]\nstart -> x -> y -> z -> b -> done'
    )
    bench.run(body)
    prompt = bench.path("nodes/b/1.1/prompt.md").read_text()
    assert prompt == "### docs/r/10.md\n\nten\n### docs/r/2.md\n\ntwo\n"


def test_the_request_says_where_its_document_goes(bench: Bench) -> None:
    bench.run(TASK.format(path="docs/${run_id}.md"))
    started = next(f for f in bench.facts() if isinstance(f, StageStarted) and f.node == "a")
    assert isinstance(started.request, AgentRequest)
    assert started.request.output_path == "docs/r1.md"
