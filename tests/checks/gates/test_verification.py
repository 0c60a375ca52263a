"""Verification: what was not looked at is not verified."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.checks.gates.verification import VerificationGate
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.journal_version import CURRENT, VERSIONS
from custody.model.plan import CommandResult, FileResult, VerificationResults
from custody.model.record import encode_pretty
from custody.model.request import CommandLine, VerificationRequest
from support.cases import case

LINES = tuple(CommandLine(text=text, commands=()) for text in ("a", "b"))
FILES = ("f", "g")
PRESENT = tuple(FileResult(path=path, present=True) for path in FILES)
REQUEST = VerificationRequest(
    id="v/1.1",
    timeout=1,
    plan=Evidence.of_text("nodes/v/1.1/verification.plan.json", "{}"),
    required_files=FILES,
    lines=LINES,
)


def ran(command: str, exit_code: int | None = 0) -> CommandResult:
    return CommandResult(command=command, exit_code=exit_code, seconds=0.1, stdout="o", stderr="e")


def ended(command: str, by: str) -> CommandResult:
    return replace(ran(command, None), ended_by=by)


@pytest.mark.req("P-07")
@pytest.mark.parametrize(
    ("files", "commands", "reason"),
    [
        (PRESENT, (ran("a"), ran("b")), ""),
        (
            (FileResult(path="f", present=True), FileResult(path="g", present=False)),
            (),
            "required file missing: g",
        ),
        (PRESENT, (ran("a", 1),), "verification command failed: a"),
        (PRESENT, (ran("a"), ran("b", None)), "verification command failed: b"),
        (PRESENT, (ran("a"), ended("b", "timeout")), "verification command failed: b"),
        (PRESENT, (ended("a", "limit_exceeded: files (9)"),), "limit_exceeded: files (9)"),
        (PRESENT, (ran("a"),), "verification incomplete"),
        (PRESENT, (), "verification incomplete"),
        ((), (ran("a"), ran("b")), "verification incomplete"),
        (PRESENT, (ran("b"), ran("a")), "verification incomplete"),
    ],
)
def test_only_a_plan_that_was_carried_out_passes(
    files: tuple[FileResult, ...], commands: tuple[CommandResult, ...], reason: str
) -> None:
    results = encode_pretty(VerificationResults(files=files, commands=commands)).decode()
    verdicts = list(
        VerificationGate().judge(case({layout.VERIFICATION_RESULTS: results}, request=REQUEST))
    )
    assert [verdict.reason for verdict in verdicts] == ([reason] if reason else [])
    if verdicts:
        assert VerificationGate().reason(verdicts) == reason


def test_no_results_are_no_verification() -> None:
    for asked in (case(request=REQUEST), case({layout.VERIFICATION_RESULTS: "{}"})):
        (verdict,) = VerificationGate().judge(asked)
        assert verdict.code == "incomplete"


@pytest.mark.parametrize(("status", "applies"), [("ok", True), ("timeout", True), ("failed", True)])
def test_what_was_broken_off_is_judged_too(status: str, *, applies: bool) -> None:
    assert VerificationGate().applies(case(status=status)) is applies  # type: ignore[arg-type]
    assert not VerificationGate().applies(case(status="refused"))


NO_COMMAND = VerificationRequest(
    id="v/1.1", timeout=1, plan=REQUEST.plan, required_files=("f",), lines=()
)


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("number", "codes"), [("1.0", []), ("1.1", []), (CURRENT.number, ["no_command"])]
)
def test_without_a_command_nothing_is_verified(number: str, codes: list[str]) -> None:
    results = VerificationResults(files=PRESENT[:1], commands=())
    asked = case(
        {layout.VERIFICATION_RESULTS: encode_pretty(results).decode()},
        request=NO_COMMAND,
        version=VERSIONS[number],
    )
    assert [verdict.code for verdict in VerificationGate().judge(asked)] == codes


def test_records_of_version_1_0_are_read() -> None:
    old = '{"schema_version": "1.0", "passed": true, "files": [], "commands": []}'
    request = VerificationRequest(
        id="v/1.1", timeout=1, plan=REQUEST.plan, required_files=(), lines=()
    )
    asked = case({layout.VERIFICATION_RESULTS: old}, request=request, version=VERSIONS["1.0"])
    assert list(VerificationGate().judge(asked)) == []
