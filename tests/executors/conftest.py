"""A place to run commands in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.executors.process import Supervisor
from support.processes import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Return a place to run commands in."""
    with Supervisor() as supervisor:
        yield Bench(supervisor, tmp_path)
