"""The gate ``lite`` judges as the gate of verifications does, under its own name."""

from __future__ import annotations

import pytest

from custody.checks.gates.lite import LiteGate
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.plan import CommandResult, VerificationResults
from custody.model.record import encode
from custody.model.request import CommandLine, VerificationRequest
from support.cases import case

REQUEST = VerificationRequest(
    id="v/1.1",
    timeout=1.0,
    plan=Evidence.of_text("nodes/v/1.1/plan.json", "{}"),
    required_files=(),
    lines=(CommandLine(text="true", commands=()),),
)


def results(exit_code: int) -> dict[str, str]:
    ran = CommandResult(command="true", exit_code=exit_code, seconds=0.0, stdout="", stderr="")
    recorded = VerificationResults(files=(), commands=(ran,))
    return {layout.VERIFICATION_RESULTS: encode(recorded).decode()}


@pytest.mark.parametrize(("exit_code", "codes"), [(0, []), (1, ["command_failed"])])
def test_every_command_ended_well(exit_code: int, codes: list[str]) -> None:
    judged = list(LiteGate().judge(case(results(exit_code), request=REQUEST)))
    assert [verdict.code for verdict in judged] == codes
    assert {verdict.check for verdict in judged} <= {"lite"}


def test_what_was_not_run_is_not_passed() -> None:
    (verdict,) = LiteGate().judge(case())
    assert (verdict.check, verdict.code) == ("lite", "incomplete")
    assert not LiteGate().applies(case(status="refused"))
    assert LiteGate().applies(case(status="timeout"))
