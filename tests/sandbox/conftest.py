"""A run directory to confine stages in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.supervise.supervisor import Supervisor
from support.sandboxes import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a run directory of its own."""
    with Supervisor() as supervisor:
        yield Site(supervisor, tmp_path)
