"""One test file, run by a pytest of its own under the project's conftest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent


class Trial:
    """A folder with the rules for all tests, and a test file to try them on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "docs").mkdir()
        (folder / "docs" / "requirements.md").write_text("| P-01 | It works. |\n")
        shutil.copytree(TESTS / "support", folder / "tests" / "support")
        shutil.copy(TESTS / "conftest.py", folder / "tests")
        (folder / "pytest.ini").write_text(
            "[pytest]\npythonpath = tests\nmarkers = req(id): a requirement\n"
        )

    def __call__(self, text: str, *words: str, ci: bool = False, **env: str) -> tuple[int, str]:
        """Run a test file; return how pytest ended and everything it printed."""
        (self.folder / "tests" / "test_sample.py").write_text(text)
        stop = str(self.folder / "stop")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", *words],
            cwd=self.folder,
            env={**os.environ, "CI": "true" if ci else "", "STOP": stop, **env},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout + done.stderr
