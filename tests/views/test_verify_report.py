"""The verdict about a round, as the contract wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from custody.model.plan import CommandResult
from custody.model.verdict import Verdict
from custody.views.verify_report import ChangeRound, report

NOW = ChangeRound("lite", 2, 3, {"artifacts/PLAN.md"})
WRONG = Verdict(check="lite", allowed=False, code="command_failed", reason="it failed", subject="x")


def ran(exit_code: int | None) -> CommandResult:
    return CommandResult(command="make", exit_code=exit_code, seconds=1.0, stdout="o", stderr="e")


def read(*args: Any, **options: Any) -> Any:
    made = report(*args, **options)
    assert made.path == "artifacts/verify_report.json"
    return json.loads(made.text or "")


@pytest.mark.req("C-22")
def test_a_round_that_passed() -> None:
    found = read(NOW, (), [ran(0)])
    assert (found["result"], found["gate"]) == ("PASS", "lite")
    assert (found["iteration"], found["max_iterations"]) == (2, 3)
    assert found["commands"] == [{"cmd": "make", "exit_code": 0}]
    assert found["failures"] == []
    assert found["paths"]["plan"] == "artifacts/PLAN.md"
    assert not {"patch", "bundle"} & found["paths"].keys()


def test_a_round_that_failed_names_what_was_wrong() -> None:
    found = read(NOW, [WRONG], [ran(1)], reason="it failed")
    assert found["result"] == "FAIL"
    assert found["failures"] == [
        {"kind": "lite", "id": "command_failed", "message": "it failed (x)"}
    ]


def test_a_failure_without_a_verdict_has_its_reason() -> None:
    found = read(NOW, (), reason="nobody came", bundle=True)
    assert found["failures"] == [{"kind": "stage", "id": "failed", "message": "nobody came"}]
    assert found["paths"]["bundle"] == "failure_bundle.zip"


def test_a_command_that_was_ended_has_no_exit_code_of_its_own() -> None:
    assert read(NOW, [WRONG], [ran(None)])["commands"] == [{"cmd": "make", "exit_code": -1}]
