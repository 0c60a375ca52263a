"""Where people are asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.cli.mailboxes import folders


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def test_runs_come_first_and_then_changes(repository: Path) -> None:
    changes = str(repository / "data/custody/shop")
    assert folders("") == (os.path.join(".custody", "runs"), changes)


def test_whoever_names_a_folder_gets_that_one_alone() -> None:
    assert folders("elsewhere") == ("elsewhere",)
