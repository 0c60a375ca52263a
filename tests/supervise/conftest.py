"""Places to run commands in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.supervise.supervisor import Supervisor
from support.processes import Bench
from support.sandboxes import Site


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Return a place to run commands in."""
    with Supervisor() as supervisor:
        yield Bench(supervisor, tmp_path)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a run directory to confine stages in."""
    with Supervisor() as supervisor:
        yield Site(supervisor, tmp_path)
