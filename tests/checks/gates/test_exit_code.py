"""Exit codes: 0 is good, and nothing else is."""

from __future__ import annotations

import pytest

from custody.checks.gates.exit_code import ExitCodeGate
from custody.model.request import CommandLine, ToolRequest
from support.cases import case

REQUEST = ToolRequest(id="t/1.1", timeout=1, line=CommandLine(text="make it", commands=()))


def test_0_passes() -> None:
    assert list(ExitCodeGate().judge(case(exit_code=0, request=REQUEST))) == []


@pytest.mark.parametrize("code", [1, 127, 255, None])
def test_any_other_exit_code_fails(code: int | None) -> None:
    (verdict,) = ExitCodeGate().judge(case(exit_code=code, request=REQUEST))
    assert (verdict.check, verdict.code, verdict.subject) == ("exit_code", "exit_code", "make it")
    assert ExitCodeGate().reason([verdict]) == f"tool_exit_code_{code}"


def test_a_command_that_was_broken_off_has_no_exit_code_to_judge() -> None:
    assert not ExitCodeGate().applies(case(status="timeout"))
    assert ExitCodeGate().applies(case(status="ok"))
