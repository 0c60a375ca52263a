"""Scripts are run: selftest first, then live; the exit code tells whose fault a failure is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from custody import api
from custody.cli import main
from custody.errors import UsageError

SCRIPT = """#!/bin/sh
set -eu
echo "$SCENARIO_MODE" >> modes.txt
case "$SCENARIO_MODE" in
selftest) {selftest} ;;
live) {live} ;;
esac
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REQUIRE_LIVE", raising=False)


def script(selftest: str = "true", live: str = "true", name: str = "s.sh") -> str:
    Path(name).write_text(SCRIPT.format(selftest=selftest, live=live))
    Path(name).chmod(0o755)
    return name


def modes() -> list[str]:
    return Path("modes.txt").read_text().split()


@pytest.mark.req("P-17")
@pytest.mark.parametrize(
    ("selftest", "live", "fault", "code", "ran"),
    [
        ("true", "true", "", 0, ["selftest", "live"]),
        ("exit 4", "true", "product", 4, ["selftest"]),
        ("echo HTTP 401; exit 4", "true", "product", 4, ["selftest"]),
        ("true", "echo wrong answer; exit 5", "product", 5, ["selftest", "live"]),
        ("true", "echo HTTP 401 >&2; exit 5", "infra", 86, ["selftest", "live"]),
        ("true", "echo API_KEY is not set; exit 1", "infra", 86, ["selftest", "live"]),
        ("true", "kill -9 $$", "product", 137, ["selftest", "live"]),
    ],
)
def test_whose_fault_it_is(selftest: str, live: str, fault: str, code: int, ran: list[str]) -> None:
    (result,), total = api.preflight([script(selftest, live)], live=True)
    assert (result.fault, result.exit_code, total) == (fault, code, code)
    assert result.passed is (code == 0)
    assert [phase.mode for phase in result.phases] == ran == modes()


@pytest.mark.req("P-17")
def test_live_is_run_only_when_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    name = script()
    assert main(["scenario", "run", name]) == 0
    assert modes() == ["selftest"]
    monkeypatch.setenv("REQUIRE_LIVE", "1")
    assert main(["scenario", "run", name]) == 0
    assert modes() == ["selftest", "selftest", "live"]


def test_a_time_out_is_told() -> None:
    (result,), _ = api.preflight([script(live="sleep 60")], live=True, timeout=0.5)
    assert (result.fault, result.exit_code) == ("infra", 86)
    (result,), _ = api.preflight([script(selftest="sleep 60")], live=True, timeout=0.5)
    assert (result.fault, result.exit_code) == ("product", 124)


def test_a_broken_product_counts_before_broken_surroundings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [
        script(live="echo quota; exit 1", name="a.sh"),
        script(live="exit 9", name="b.sh"),
        script(name="c.sh"),
    ]
    assert main(["scenario", "run", *names, "--require-live", "--json"]) == 9
    told = json.loads(capsys.readouterr().out)
    assert [one["fault"] for one in told["scenarios"]] == ["infra", "product", ""]
    assert told["exit_code"] == 9


def test_selftest_sees_no_secret_and_live_does_but_tells_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "hunter2hunter2")
    name = script('test -z "${SHOP_API_KEY:-}"', 'echo "key $SHOP_API_KEY"; exit 3')
    (result,), _ = api.preflight([name], live=True)
    assert result.exit_code == 3
    assert result.phases[-1].output == "key [redacted:SHOP_API_KEY]"


def test_what_is_no_script_is_refused() -> None:
    with pytest.raises(UsageError):
        api.preflight(["missing.sh"])
    assert main(["scenario", "run", script(), "--timeout", "soon"]) == 1


def test_lint_by_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenario", "lint", script()]) == 0
    Path("s.sh").chmod(0o644)
    assert main(["scenario", "lint", "s.sh"]) == 1
    assert "s.sh:0:0 executable" in capsys.readouterr().out


@pytest.mark.req("P-17")
def test_the_shared_runner(root: Path) -> None:
    """It finds custody on PATH and hands its words on."""
    Path("bin").mkdir()
    Path("bin/custody").write_text(f'#!/bin/sh\nexec {sys.executable} -m custody "$@"\n')
    Path("bin/custody").chmod(0o755)
    done = subprocess.run(
        [root / "scripts" / "scenarios" / "preflight_scenario.sh", script(live="exit 9")],
        env={**os.environ, "PATH": f"{Path.cwd()}/bin:{os.environ['PATH']}", "REQUIRE_LIVE": "1"},
        check=False,
        timeout=60,
    )
    assert done.returncode == 9
