"""Git checks and applies a patch in the sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.model.contracts.patch_result import PatchResult
from custody.model.record import decode
from support.changing import CODE, GOOD, STALE, WRONG, Change, answers

RESULT = "artifacts/patch_result.json"


@pytest.fixture
def flow(tmp_path: Path) -> Change:
    return Change(tmp_path)


def result(flow: Change) -> PatchResult:
    return decode(flow.path(RESULT).read_bytes(), PatchResult, where=RESULT)


def test_what_git_said_is_on_record(flow: Change) -> None:
    flow.start()
    assert (result(flow).check_exit_code, result(flow).apply_exit_code) == (0, 0)
    assert flow.path("nodes/patch/1.1/candidate.patch").read_text() == GOOD


def test_what_git_refuses_is_not_applied(flow: Change) -> None:
    flow.start(answers(maker=STALE, fixer=STALE, stop="max_iterations=1"))
    assert result(flow).check_exit_code == 1
    assert result(flow).apply_exit_code is None
    assert "patch does not apply" in result(flow).message
    assert flow.path("workspace/src/calc.py").read_text() == CODE


def test_the_policy_of_the_repository_is_on_record_and_counts(flow: Change) -> None:
    policy = {"schema_version": "ctcp-patch-policy-v1", "deny_suffixes": [".py"]}
    (flow.repo / "patch_policy.json").write_text(json.dumps(policy))
    assert flow.start(answers(stop="max_iterations=1")).summary.status == "FAIL"
    assert flow.json("artifacts/patch_policy.json") == policy
    assert "deny_suffixes" in flow.path("reviews/review_patch.md").read_text()


def test_an_applied_patch_is_taken_back_before_the_next(flow: Change) -> None:
    flow.start(answers(maker=WRONG))
    diff = flow.json("nodes/undo/1.1/workspace.diff.json")
    assert [change["path"] for change in diff["changes"]] == ["src/calc.py"]
    assert flow.path("nodes/undo/1.1/reverse.stderr.log").read_text() == ""


def test_a_repository_around_the_run_does_not_count(flow: Change, tmp_path: Path) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert flow.start().summary.status == "PASS"
