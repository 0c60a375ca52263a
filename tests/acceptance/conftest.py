"""A user with a folder of his own, and a repository with a history."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.histories import GitRepo
from support.postgres import Postgres
from support.shell import Here


@pytest.fixture(scope="session", autouse=True)
def _before_any_test(postgres: Postgres) -> None:
    """Start the server before the first test counts the processes that are there."""


@pytest.fixture
def user(tmp_path: Path) -> Here:
    """Return the command line of somebody whose data are nobody else's."""
    here = Here(tmp_path)
    here.environment |= {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    return here


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """Return a repository with three commits."""
    made = GitRepo(tmp_path / "repo")
    made.commit({"retry.py": "def retry():\n    return 1\n"}, "Add a loop that retries")
    made.commit({"retry.py": "def retry():\n    return 2\n"}, "Wait between two attempts")
    made.commit({"README.md": "# Read me\n"}, "Explain what it does")
    return made
