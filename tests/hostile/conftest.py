"""Fixtures for hostile input."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.hostile import Ground


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """Return a fresh place to run hostile input in."""
    return Ground(tmp_path)
