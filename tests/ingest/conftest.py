"""A desk at which documents are ingested."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.ingesting import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Return a run that ingests documents."""
    desk = Desk(tmp_path)
    yield desk
    desk.site.close()
