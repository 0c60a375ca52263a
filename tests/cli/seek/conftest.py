"""Somebody with a logbook of his own, and a repository with a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.histories import GitRepo
from support.seeking import switched_off
from support.shell import Here


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of the search out where it is switched off, and say so."""
    here = Path(__file__).parent
    if switched_off():
        for item in items:
            if item.path.is_relative_to(here):
                item.add_marker(pytest.mark.skip(reason="SEEKDB_ENABLE=0"))


@pytest.fixture
def user(tmp_path: Path) -> Here:
    """Return the command line of somebody whose data are nobody else's, in his repository."""
    repo = GitRepo(tmp_path / "repo")
    repo.commit({"retry.py": "def retry():\n    return 1\n"}, "Add a loop")
    repo.commit({"docs/guide.md": "# Guide\n\nHow to wait between two retries.\n"}, "Tell how")
    here = Here(tmp_path / "repo")
    here.environment |= {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    assert here("logbook", "sync-git", ".", "--name", "it").code == 0
    return here
