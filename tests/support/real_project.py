"""A project of others with tests of its own, as `make packages` fetches it; and a bug in it."""

from __future__ import annotations

import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from support.registries import FETCHED

PACKAGES = FETCHED / "project"
NAME = "cachetools-8.0.0"
FILE = "src/cachetools/__init__.py"
RIGHT = "link.count += 1"
WRONG = "link.count += 2"
ITS_TEST = "tests/test_lfu.py"
"""Where the test is that shows the bug."""
PYTEST = ("iniconfig", "packaging", "pluggy", "pygments", "pytest")
"""What pytest consists of."""
IGNORED = ".venv/\n__pycache__/\n*.egg-info/\n.pytest_cache/\n"


def fetched() -> Path:
    """Return the sources of the project; skips the test when they were not fetched."""
    path = PACKAGES / f"{NAME}.tar.gz"
    if not path.exists():
        pytest.skip(f"{NAME} was not fetched: `make packages` does it")
    return path


def make_project(folder: Path, python: str) -> Path:
    """Return the project with a bug, committed, and installed in an environment inside of it."""
    with tarfile.open(fetched()) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # from 3.11.4 on
        archive.extractall(folder)
    project = folder / NAME
    path = project / FILE
    text = path.read_text()
    assert text.count(RIGHT) == 1
    path.write_text(text.replace(RIGHT, WRONG))
    (project / ".gitignore").write_text(IGNORED)
    git(project, "init", "--quiet", "--initial-branch", "main")
    git(project, "config", "user.name", "A User")
    git(project, "config", "user.email", "user@example.org")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "--message", f"{NAME}, with a bug")
    _do(project, python, "-m", "venv", "--without-pip", ".venv")
    _install(project / ".venv", project / "src")
    return project


def _install(environment: Path, sources: Path) -> None:
    """Put pytest and a project that is worked on into an environment, as an installer does."""
    (packages,) = environment.glob("lib/python*/site-packages")
    for name in PYTEST:
        (wheel,) = PACKAGES.glob(f"{name}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)
    (packages / "project.pth").write_text(f"{sources}\n")
    _do(environment, "bin/python", "-m", "pytest", "--version")  # writes its byte code


def passes(folder: Path, python: Path, *tests: str) -> bool:
    """Whether tests of the project, all if none are named, pass on the sources in a folder."""
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    return done.returncode == 0


def git(folder: Path, *words: str) -> str:
    """Return what git prints."""
    return _do(folder, "git", *words)


def _do(folder: Path, *words: str) -> str:
    environment = {**os.environ, "PIP_CONFIG_FILE": os.devnull, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
