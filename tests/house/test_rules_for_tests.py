"""The rules that tests/conftest.py sets do bite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def run(root: Path, tmp_path: Path) -> Runner:
    """Return what runs one test file under the project's conftest."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "requirements.md").write_text("| P-01 | It works. |\n")
    (tmp_path / "tests").mkdir()
    shutil.copy(root / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = req(id): a requirement\n")
    return Runner(tmp_path)


class Runner:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, text: str, *, ci: bool = False) -> tuple[int, str]:
        (self.folder / "tests" / "test_sample.py").write_text(text)
        stop = str(self.folder / "stop")
        env = {**os.environ, "CI": "true" if ci else "", "STOP": stop}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"],
            cwd=self.folder, env=env, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr


SKIPPED = "import pytest\ndef test_one(): pytest.skip('no strace')\n"
SKIPPED_MODULE = "import pytest\npytest.skip('no dot', allow_module_level=True)\n"
LEFT_BEHIND = """
import subprocess, sys
def test_one(tmp_path):
    code = "import os, time; os.fork() and os._exit(0); os.setsid()\\n"
    code += "while not os.path.exists(os.environ['STOP']): time.sleep(0.02)"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
"""


@pytest.mark.parametrize(("text", "reason"), [(SKIPPED, "no strace"), (SKIPPED_MODULE, "no dot")])
def test_a_skip_is_a_failure_in_ci_only(run: Runner, text: str, reason: str) -> None:
    assert run(text)[0] in {0, 5}
    status, printed = run(text, ci=True)
    assert status not in {0, 5}
    assert reason in printed


def test_a_process_left_behind_fails_its_test(run: Runner) -> None:
    status, printed = run(LEFT_BEHIND)
    (run.folder / "stop").touch()
    assert status == 1
    assert "processes still run after the test" in printed


def test_a_mark_must_name_a_requirement(run: Runner) -> None:
    sample = "import pytest\n@pytest.mark.req('{}')\ndef test_one(): pass\n"
    assert run(sample.format("P-01"))[0] == 0
    status, printed = run(sample.format("P-99"))
    assert status == 4
    assert "no such requirement: ['P-99']" in printed
