"""Structured plans: judged, run and recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.engine.result import RunResult
from custody.model.event import GuardrailViolation, RequestAnswered, StageFailed
from support.bench import Bench


def verify(bench: Bench, plan: object, *, attributes: str = "", **options: Any) -> RunResult:
    """Run a verification of ``plan``, in a workspace with a folder called app."""
    (bench.workdir / "app").mkdir()
    (bench.workdir / "app" / "there.txt").write_text("here")
    answers = {"answers": [{"text": "ok", "context_updates": {"verification.plan": plan}}]}
    (bench.home / "answers.json").write_text(json.dumps(answers))
    return bench.run(
        'a [prompt="x"]\nv [type=verification, verification.allowed_commands="cat,test -f"'
        f"{attributes}]\nstart -> a -> v -> done",
        agent=f"fake:{bench.home / 'answers.json'}",
        **options,
    )


def reason(bench: Bench) -> str:
    return next(f for f in bench.facts() if isinstance(f, StageFailed)).outcome.failure_reason


@pytest.mark.req("P-07")
def test_a_plan_is_run_and_both_records_are_written(bench: Bench) -> None:
    plan = {"required_files": ["app/there.txt"], "commands": ["cat app/there.txt"]}
    assert verify(bench, plan).summary.status == "PASS"
    folder = bench.path("nodes/v/1.1")
    assert json.loads((folder / "verification.plan.json").read_text())["commands"] == [
        "cat app/there.txt"
    ]
    results = json.loads((folder / "verification.results.json").read_text())
    assert [result["exit_code"] for result in results["commands"]] == [0]
    assert "GatePassed v" in bench.events()
    assert results["files"] == [{"path": "app/there.txt", "present": True}]
    assert results["commands"][0]["exit_code"] == 0
    assert (bench.path(results["commands"][0]["stdout"])).read_text() == "here"


@pytest.mark.req("P-07")
def test_a_command_that_is_not_allowed_refuses_the_whole_plan(bench: Bench) -> None:
    plan = {"commands": ["cat app/there.txt", "rm app/there.txt"]}
    assert verify(bench, plan).summary.status == "FAIL"
    assert reason(bench) == "verification command not allowed: rm app/there.txt"
    assert bench.path("workspace/app/there.txt").exists()
    violation = next(f for f in bench.facts() if isinstance(f, GuardrailViolation))
    assert violation.verdicts[0].code == "prefix"
    assert sum(isinstance(f, RequestAnswered) for f in bench.facts()) == 1


@pytest.mark.req("P-07")
def test_commands_run_in_the_workdir(bench: Bench) -> None:
    plan = {"commands": ["test -f there.txt"]}
    result = verify(bench, plan, attributes=', verification.workdir="app"')
    assert result.summary.status == "PASS"


@pytest.mark.req("P-07")
def test_by_default_commands_run_in_the_workspace_root(bench: Bench) -> None:
    assert verify(bench, {"commands": ["test -f there.txt"]}).summary.status == "FAIL"
    assert reason(bench) == "verification command failed: test -f there.txt"


@pytest.mark.req("P-07")
def test_a_missing_file_fails_before_any_command(bench: Bench) -> None:
    plan = {"required_files": ["gone.txt"], "commands": ["cat app/there.txt"]}
    verify(bench, plan)
    assert reason(bench) == "required file missing: gone.txt"
    assert not bench.path("nodes/v/1.1/verification.1.stdout.log").exists()


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ({"commands": "cat x"}, "Expected `array`"),
        ({"commandz": []}, "commandz"),
        ({}, "asks for nothing"),
        ("{half", "malformed"),
        ({"required_files": ["../x"]}, "required file not allowed: ../x"),
    ],
)
def test_a_plan_that_is_none(bench: Bench, plan: object, why: str) -> None:
    assert verify(bench, plan).summary.status == "FAIL"
    assert why in reason(bench)


def test_no_plan_at_all(bench: Bench) -> None:
    bench.run('v [type=verification, verification.allowed_commands="true"]\nstart -> v -> done')
    assert reason(bench) == "verification plan missing"


def test_an_allowlist_that_cannot_be_read_is_a_finding(bench: Bench) -> None:
    from custody import api

    path = bench.pipeline(
        'v [type=verification, verification.allowed_commands="cat,,test"]\nstart -> v -> done'
    )
    _pipeline, findings = api.check(path)
    assert [finding.code for finding in findings] == ["attribute"]


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        ('verification.allowed_commands="true"', [("own_check", "warning")]),
        ('verification.required_commands="make test"', []),
        ('verification.required_commands=" "', [("attribute", "error")]),
        ('verification.workdir="app"', [("attribute", "error")]),
        ('verification.required_commands="make test,"', [("attribute", "error")]),
        ('verification.required_commands="make test || true"', [("attribute", "error")]),
    ],
)
def test_a_verification_needs_a_command_that_no_agent_chose(
    bench: Bench, attributes: str, found: list[tuple[str, str]]
) -> None:
    from custody import api

    path = bench.pipeline(f"v [type=verification, {attributes}]\nstart -> v -> done")
    _pipeline, findings = api.check(path)
    assert [(finding.code, finding.severity) for finding in findings] == found


@pytest.mark.req("G-01")
def test_a_resumed_verification_judges_what_the_stages_left(bench: Bench) -> None:
    """What its commands changed is gone, so a second attempt finds the same."""
    result = bench.run(
        "v [type=verification, max_retries=1, retry_delay=0s,"
        """ verification.required_commands="sh -c 'test ! -e x && touch x && false'"]\n"""
        "start -> v -> done"
    )
    assert result.summary.status == "FAIL"
    outcomes = [f.ack.exit_code for f in bench.facts() if isinstance(f, RequestAnswered)]
    assert outcomes == [1, 1]
    assert not bench.path("workspace/x").exists()
