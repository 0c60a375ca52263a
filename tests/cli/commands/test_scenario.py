"""Scenario scripts are run or looked at, and the exit code says whose fault a failure is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from custody.cli import main
from custody.cli.commands.scenario import SHOWN

GOOD = """#!/usr/bin/env bash
set -euo pipefail
if [ "${SCENARIO_MODE:-live}" = selftest ]; then
    echo selftest
    exit 0
fi
echo live
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REQUIRE_LIVE", raising=False)


def script(text: str, name: str = "one.sh") -> str:
    Path(name).write_text(text)
    Path(name).chmod(0o755)
    return name


def test_a_script_that_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", "run", script(GOOD), "--require-live"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("PASS  one.sh: selftest passed (")
    assert "live passed (" in told


def test_a_failure_is_shown_by_the_end_of_what_was_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["scenario", "run", script("#!/bin/sh\nseq 100\nexit 7\n")]) == 7
    first, *shown = capsys.readouterr().out.splitlines()
    assert first.startswith("FAIL  one.sh: product: selftest ")
    assert shown == [f"  {number}" for number in range(101 - SHOWN, 101)]


def test_every_script_is_run_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = script("#!/bin/sh\nexit 3\n", "bad.sh"), script(GOOD)
    assert main(["scenario", "run", bad, good, "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert [row["passed"] for row in told["scenarios"]] == [False, True]
    assert told["exit_code"] == 3


def test_findings_about_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", "lint", script(GOOD)]) == 0
    assert capsys.readouterr().out == "PASS  1 script: 0 findings\n"
    assert main(["scenario", "lint", "one.sh", script("echo x\n", "bad.sh")]) == 1
    *findings, last = capsys.readouterr().out.splitlines()
    assert any(line.startswith("bad.sh:") for line in findings)
    assert last.startswith("FAIL  2 scripts: ")
    assert main(["scenario", "lint", "one.sh", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": [{"file": "one.sh", "findings": []}]}


@pytest.mark.parametrize("time", ["soon", "", "-1s"])
def test_what_is_no_time_is_wrong_usage(time: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", "run", script(GOOD), f"--timeout={time}"]) == 1
    assert "--timeout takes a time such as 90s" in capsys.readouterr().err
