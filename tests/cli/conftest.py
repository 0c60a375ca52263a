"""Fixtures for the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.shell import Shell


@pytest.fixture
def custody(tmp_path: Path) -> Shell:
    """Return the command line in an empty folder."""
    return Shell(tmp_path)


@pytest.fixture
def sample(custody: Shell) -> Shell:
    """Return the command line in a folder with the sample and one run of it, called r1."""
    assert custody("init").code == 0
    assert custody("run", "pipeline.dot", "--run-id", "r1").code == 0
    return custody
