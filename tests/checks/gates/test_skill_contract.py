"""Whether the contract of a skill is sound."""

from __future__ import annotations

import pytest

from custody.checks.gates.skill_contract import SkillContractGate
from custody.model import layout
from custody.model.record import encode_pretty
from custody.model.skill.job import JobRuntime, JobSkill, JobStart
from support.cases import case
from support.jobs import CONTRACT

pytestmark = pytest.mark.req("S-12")


def judged(contract: str | None, *problems: str) -> list[tuple[str, str]]:
    job = JobStart(
        skill=JobSkill(name="count", version="1", subskill_path="/s"),
        runtime=JobRuntime(cwd="/d", run_dir="/d/r", adapter="local"),
        tool="tclsh",
        problems=problems,
    )
    documents: dict[str, str | bytes] = {layout.JOB: encode_pretty(job)}
    if contract is not None:
        documents[layout.JOB_CONTRACT] = contract
    found = SkillContractGate().judge(case(documents=documents))
    return [(verdict.code, verdict.reason) for verdict in found]


def test_one_that_keeps_every_rule_passes() -> None:
    assert judged(CONTRACT) == []


def test_every_finding_is_told_with_its_line() -> None:
    wrong = CONTRACT.replace("tool: tclsh", "tool: make")
    known = "innovus, opensta, yosys, magic, netgen, tclsh"
    assert judged(wrong) == [
        (
            "tool",
            f"CONTRACT_INVALID: contract.yaml:4 tool: 'make' is not one of {known}",
        )
    ]


def test_one_that_is_not_there_is_told() -> None:
    told = "CONTRACT_INVALID: the skill has no contract.yaml that can be read"
    assert judged(None) == [("missing", told)]


def test_so_is_what_the_skill_lacks() -> None:
    found = judged(CONTRACT, "the script run.tcl cannot be read")
    assert found == [("script", "CONTRACT_INVALID: the script run.tcl cannot be read")]
