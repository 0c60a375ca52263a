"""Agents are tested in whole runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a fresh place to run pipelines in."""
    return Bench(tmp_path)
