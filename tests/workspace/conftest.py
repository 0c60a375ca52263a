"""A source, and runs that work on copies of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.trees import remove
from support.workspaces import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a source that is empty yet."""
    site = Site(tmp_path)
    yield site
    site.close()


@pytest.fixture
def public() -> Iterator[Path]:
    """Return a folder that everybody may use."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o777)
    yield place
    remove(place)
