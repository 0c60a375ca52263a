"""The rules that tests/conftest.py sets do bite."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from support.trial import Trial

SKIPPED = "import pytest\ndef test_one(): pytest.skip('no strace')\n"
SKIPPED_MODULE = "import pytest\npytest.skip('no dot', allow_module_level=True)\n"
LEFT_BEHIND = """
import subprocess, sys
def test_one(tmp_path):
    code = "import os, time; os.fork() and os._exit(0); os.setsid()\\n"
    code += "stop = os.environ['STOP']; above = os.path.dirname(stop)\\n"
    code += "while os.path.exists(above) and not os.path.exists(stop): time.sleep(0.02)"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
"""
HEARING = """
import subprocess, sys
def test_one():
    code = "import os, signal, time; os.kill(os.getpid(), signal.SIGHUP); time.sleep(60)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == -1
"""
DEEP_AND_CLOSED = """
import os
def test_one(tmp_path):
    os.chdir(tmp_path)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    os.chdir("/")
    (tmp_path / "closed" / "inside").mkdir(parents=True)
    (tmp_path / "closed" / "inside").chmod(0)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "plain").mkdir()
"""


@pytest.mark.parametrize(("text", "reason"), [(SKIPPED, "no strace"), (SKIPPED_MODULE, "no dot")])
def test_a_skip_is_a_failure_in_ci_only(trial: Trial, text: str, reason: str) -> None:
    assert trial(text)[0] in {0, 5}
    status, printed = trial(text, ci=True)
    assert status not in {0, 5}
    assert reason in printed


SWITCHED_OFF = "import pytest\ndef test_one(): pytest.skip('SEEKDB_ENABLE=0')\n"


@pytest.mark.req("E-11")
def test_without_the_search_its_tests_are_skipped_in_ci_too(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEEKDB_ENABLE", "0")
    assert trial(SWITCHED_OFF, ci=True)[0] == 0
    assert trial(SKIPPED, ci=True)[0] == 1, "others are not"
    monkeypatch.delenv("SEEKDB_ENABLE")
    assert trial(SWITCHED_OFF, ci=True)[0] == 1, "nor is it in an ordinary run"


def test_a_process_left_behind_fails_its_test(trial: Trial) -> None:
    status, printed = trial(LEFT_BEHIND)
    (trial.folder / "stop").touch()
    assert status == 1
    assert "processes still run after the test" in printed


@pytest.mark.parametrize("failing", [False, True])
def test_what_tests_leave_can_be_removed(trial: Trial, tmp_path: Path, *, failing: bool) -> None:
    left = tmp_path / "left"
    text = f"{DEEP_AND_CLOSED}    assert {not failing}\n"
    assert trial(text, f"--basetemp={left}")[0] == failing
    assert bool([*left.glob("test_one*/plain")]) == failing, "only what failed is looked at"
    shutil.rmtree(left)


def test_what_a_test_starts_hears_signals_under_nohup_too(trial: Trial) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        status, printed = trial(HEARING, "--slowest-files=1")
    finally:
        signal.signal(signal.SIGHUP, before)
    assert status == 0, printed
    assert "1 tests  tests/test_sample.py" in printed


def test_a_mark_must_name_a_requirement(trial: Trial) -> None:
    sample = "import pytest\n@pytest.mark.req('{}')\ndef test_one(): pass\n"
    assert trial(sample.format("P-01"))[0] == 0
    status, printed = trial(sample.format("P-99"))
    assert status == 4
    assert "no such requirement: ['P-99']" in printed
