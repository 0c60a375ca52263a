"""A copy of the package, as somebody has it who works on it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import codebase

PROGRAM = """\
#!/bin/sh
PYTHONPATH='{source}' exec '{python}' {words} "$@"
"""


class Copy:
    """The package in a folder of its own, to be changed and run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / "src"
        self.take("src")

    def take(self, *names: str) -> None:
        """Copy more of the repository, files and folders."""
        for name in names:
            origin, target = codebase.ROOT / name, self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if origin.is_dir():
                shutil.copytree(origin, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(origin, target)

    def __call__(self, *words: str, program: str = "custody") -> subprocess.CompletedProcess[str]:
        """Run a module with the copy's package."""
        return subprocess.run(
            [sys.executable, "-m", program, *words], cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.source)},
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def programs(self, folder: Path) -> str:
        """Return a PATH on which ``custody`` and ``python`` are those of the copy."""
        folder.mkdir()
        for name, words in (("custody", "-m custody"), ("python", "")):
            program = folder / name
            text = PROGRAM.format(source=self.source, python=sys.executable, words=words)
            program.write_text(text)
            program.chmod(0o755)
        return f"{folder}{os.pathsep}{os.environ['PATH']}"

    def contents(self) -> dict[str, str]:
        """Return the digest of every source file, by its path from the top."""
        return {
            path.relative_to(self.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.source.rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }
