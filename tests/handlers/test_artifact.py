"""Whoever has a role writes one document of a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody import api
from custody.model.event import StageStarted
from custody.model.request import AgentRequest
from support.bench import Bench

RAILS = {
    "artifacts/guardrails.md": b"find_mode: resolver_only\nmax_files: 7\nmax_total_bytes: 900\n"
    b"max_iterations: 2\n"
}
NOTE = 'type=artifact, role=chair, action=note, target="artifacts/note.md", prompt="Say it."'


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def request(bench: Bench) -> AgentRequest:
    started = [f for f in bench.facts() if isinstance(f, StageStarted) and f.node == "a"]
    assert isinstance(started[0].request, AgentRequest)
    return started[0].request


def test_the_answer_becomes_the_target(bench: Bench) -> None:
    bench.run(f"a [{NOTE}]\nstart -> a -> done")
    assert bench.path("artifacts/note.md").read_text() == "Done.\n"
    assert (request(bench).role, request(bench).action) == ("chair", "note")
    assert request(bench).output_path == "artifacts/note.md"


@pytest.mark.req("C-28")
def test_budgets_are_those_of_the_guardrails(bench: Bench) -> None:
    bench.run(f"a [{NOTE}]\nstart -> a -> done", documents=RAILS)
    assert request(bench).settings == {
        "outbox.max_files": "7",
        "outbox.max_total_bytes": "900",
        "outbox.max_iterations": "2",
    }


def test_what_was_handed_in_is_kept(bench: Bench) -> None:
    bench.run(f"a [{NOTE}]\nstart -> a -> done", documents={"artifacts/note.md": b"mine\n"})
    assert bench.path("artifacts/note.md").read_text() == "mine\n"
    assert not bench.path("nodes/a/1.1/prompt.md").exists()


def test_unless_the_node_wants_another(bench: Bench) -> None:
    body = f"a [{NOTE}, keep_given=false]\nstart -> a -> done"
    bench.run(body, documents={"artifacts/note.md": b"mine\n"})
    assert bench.path("artifacts/note.md").read_text() == "Done.\n"


def test_the_workspace_is_not_changed(bench: Bench) -> None:
    import json

    book = bench.home / "book.json"
    edit = {"path": "new.txt", "content": "x"}
    book.write_text(json.dumps({"answers": [{"text": "ok", "edits": [edit]}]}))
    result = bench.run(f"a [{NOTE}]\nstart -> a -> done", agent=f"fake:{book}")
    assert result.summary.status == "FAIL"
    assert not bench.path("workspace/new.txt").exists()


@pytest.mark.parametrize(
    ("target", "code"),
    [("docs/note.md", "output_path"), ("artifacts", "output_path"), ("../x", "traversal")],
)
def test_a_target_lies_among_the_documents_of_a_change(
    bench: Bench, target: str, code: str
) -> None:
    body = f"a [{NOTE.replace('artifacts/note.md', target)}]\nstart -> a -> done"
    _, findings = api.check(bench.pipeline(body))
    assert code in [finding.code for finding in findings]


@pytest.mark.req("I-01")
def test_other_nodes_write_none_of_them(bench: Bench) -> None:
    body = 'a [type=agent_task, output_path="artifacts/x.md", prompt="x"]\nstart -> a -> done'
    _, findings = api.check(bench.pipeline(body))
    assert "output_path" in [finding.code for finding in findings]


@pytest.mark.req("C-27")
@pytest.mark.parametrize("agent", ["api_agent", "command"])
def test_a_command_gets_four_briefs_as_files_and_in_its_prompt(bench: Bench, agent: str) -> None:
    result = bench.run(
        f"a [{NOTE}]\nstart -> a -> done", agent=f"{agent}:cat", documents=RAILS, confinement="L1"
    )
    assert result.summary.status == "PASS"
    prompt = bench.path("nodes/a/1.1/prompt.md").read_text()
    for name in ("CONTEXT", "CONSTRAINTS", "FIX_BRIEF", "EXTERNALS"):
        text = bench.path(f"outbox/{name}.md").read_text()
        assert f"# outbox/{name}.md" in prompt
        assert text.rstrip() in prompt
    assert "Do not modify repository files." in prompt
    assert "max_files: 7" in bench.path("outbox/CONSTRAINTS.md").read_text()
    assert not api.verify("r1", runsdir=str(bench.runsdir)).mismatches


@pytest.mark.req("C-26")
def test_a_provider_whose_patch_is_none_has_failed(bench: Bench) -> None:
    node = NOTE.replace("artifacts/note.md", "artifacts/diff.patch")
    result = bench.run(f"a [{node}]\nstart -> a -> done", agent="api_agent:cat", confinement="L1")
    assert result.summary.status == "FAIL"
    assert "diff --git" in result.summary.stages[1].failure_reason
    assert bench.path("nodes/a/1.1/command.stdout.log").exists()
    assert not bench.path("artifacts/diff.patch").exists()


@pytest.mark.parametrize(
    ("target", "variable"),
    [
        ("artifacts/diff.patch", "SDDAI_PATCH_CMD"),
        ("artifacts/PLAN_draft.md", "SDDAI_PLAN_CMD"),
        ("artifacts/note.md", "SDDAI_AGENT_CMD"),
    ],
)
def test_which_template_is_meant_follows_from_the_target(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, target: str, variable: str
) -> None:
    for name in ("SDDAI_PATCH_CMD", "SDDAI_PLAN_CMD", "SDDAI_AGENT_CMD"):
        monkeypatch.setenv(name, f"echo {name}")
    node = NOTE.replace("artifacts/note.md", target)
    bench.run(f"a [{node}]\nstart -> a -> done", agent="api_agent", confinement="L1")
    assert bench.path("nodes/a/1.1/command.stdout.log").read_text() == f"{variable}\n"
    for name in {"SDDAI_PATCH_CMD", "SDDAI_PLAN_CMD", "SDDAI_AGENT_CMD"} - {variable}:
        monkeypatch.delenv(name)
    body = f"a [{node}]\nstart -> a -> done"
    bench.run(body, agent="api_agent", confinement="L1", run_id="r2", look_first=True)
    assert bench.path("nodes/a/1.1/command.stdout.log", "r2").exists(), "no other is needed"
