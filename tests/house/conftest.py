"""A place to try the rules for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.trial import Trial


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """Return what runs one test file under the project's conftest."""
    return Trial(tmp_path)
