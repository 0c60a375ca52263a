"""Fixtures for the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.shell import Here, Shell


@pytest.fixture
def custody(tmp_path: Path) -> Shell:
    """Return the command line in an empty folder; it runs in the process of the test."""
    return Here(tmp_path)


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample and one run of it, called r1; nobody writes to it."""
    folder = tmp_path_factory.mktemp("sample") / "folder"
    folder.mkdir()
    custody = Here(folder)
    assert custody("init").code == 0
    assert custody("run", "pipeline.dot", "--run-id", "r1").code == 0
    return folder


@pytest.fixture
def sample(sample_folder: Path, tmp_path: Path) -> Shell:
    """Return the command line in a copy of the folder with the sample."""
    shutil.copytree(sample_folder, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Here(tmp_path)
