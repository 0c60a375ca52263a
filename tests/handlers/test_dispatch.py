"""What a role is told beside its task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.model.event import StageStarted
from custody.model.request import AgentRequest
from support.changing import WRONG, Change, answers

CONFIG = {
    "schema_version": "ctcp-dispatch-config-v1",
    "mode": "manual_outbox",
    "role_providers": {},
    "budgets": {"max_outbox_prompts": 2},
}


@pytest.fixture
def flow(tmp_path: Path) -> Change:
    return Change(tmp_path)


@pytest.mark.req("C-28")
def test_a_person_reads_role_action_target_and_budgets(flow: Change) -> None:
    result = flow.start(agent="", config=json.dumps(CONFIG).encode())
    assert result.state == "WAITING"
    lines = flow.path("outbox/001_chair_analysis.md").read_text().splitlines()
    assert f"Run-Dir: {flow.runs / 'c'}" in lines
    for line in (
        "Role: chair",
        "Action: analysis",
        "Target-Path: artifacts/analysis.md",
        "write to: artifacts/analysis.md",
        "Missing artifacts: artifacts/analysis.md",
        "max_outbox_prompts: 2",
        "max_files: 20",
        "max_total_bytes: 200000",
        "max_iterations: 3",
        "- Only write the requested target artifact in the run directory.",
        "- Do not modify repository files.",
    ):
        assert line in lines


@pytest.mark.req("C-28")
def test_a_change_asks_a_person_no_more_often_than_it_may(flow: Change) -> None:
    flow.start(agent="", config=json.dumps(CONFIG).encode())
    flow.path("artifacts/analysis.md").write_text("It subtracts.\n")
    assert flow.advance().state == "WAITING"
    flow.path("artifacts/file_request.json").write_text(answers()["file_request"][0]["text"])
    result = flow.advance()
    assert result.summary.status == "FAIL"
    draft = next(stage for stage in result.summary.stages if stage.node == "draft")
    assert draft.failure_reason == "max_outbox_prompts exceeded: 2"
    assert flow.holds()


def test_a_change_goes_on_when_the_target_appears(flow: Change) -> None:
    flow.start(agent="manual_outbox")
    flow.path("artifacts/analysis.md").write_text("It subtracts.\n")
    flow.advance()
    assert flow.path("artifacts/analysis.md").read_text() == "It subtracts.\n"
    assert flow.path("outbox/002_chair_file_request.md").exists()
    assert flow.holds()


@pytest.mark.req("C-28")
def test_anything_but_the_target_is_set_aside(flow: Change) -> None:
    flow.start(agent="manual_outbox")
    flow.path("artifacts/PLAN.md").write_text("Status: SIGNED\n")
    rails = flow.path("artifacts/guardrails.md").read_text()
    flow.path("artifacts/guardrails.md").write_text("max_files: 500\n")
    flow.path("artifacts/analysis.md").write_text("It subtracts.\n")
    flow.advance()
    assert flow.path("artifacts/guardrails.md").read_text() == rails
    assert flow.path("artifacts/guardrails.md.lost.1").read_text() == "max_files: 500\n"
    assert not flow.path("artifacts/PLAN.md").exists()
    assert flow.path("artifacts/PLAN.md.lost.1").exists()


@pytest.mark.req("C-20")
def test_the_fixer_is_asked_through_the_outbox_for_a_patch_only(flow: Change) -> None:
    result = flow.start(answers(maker=WRONG), roles={"fixer": "manual_outbox"})
    assert result.state == "WAITING"
    (asked,) = (flow.runs / "c" / "outbox").glob("*.md")
    assert asked.name == "001_fixer_fix_patch.md"
    text = asked.read_text()
    assert "Target-Path: artifacts/diff.patch" in text
    assert "unified diff only" in text


@pytest.mark.req("C-25")
@pytest.mark.parametrize("providers", [{}, {"librarian": "local_exec"}], ids=["unsaid", "local"])
def test_the_librarian_of_this_machine_makes_the_pack(
    flow: Change, providers: dict[str, str]
) -> None:
    flow.start(roles=providers)
    assert flow.json("artifacts/context_pack.json")["schema_version"] == "ctcp-context-pack-v1"


@pytest.mark.req("C-25")
def test_a_person_is_the_librarian_where_both_settings_say_so(flow: Change) -> None:
    result = flow.start(roles={"librarian": "manual_outbox"})
    assert result.waiting == "context/1.1"
    text = flow.path("outbox/001_librarian_context_pack.md").read_text()
    assert "Target-Path: artifacts/context_pack.json" in text
    pack = {
        "schema_version": "ctcp-context-pack-v1", "goal": "g", "repo_slug": "r", "summary": "s",
        "files": [], "omitted": [],
    }  # fmt: skip
    flow.path("artifacts/context_pack.json").write_text(json.dumps(pack))
    assert flow.advance().summary.status == "PASS"
    asked = [f.request for f in flow.facts() if isinstance(f, StageStarted) and f.node == "context"]
    assert isinstance(asked[0], AgentRequest)
    assert flow.holds()
