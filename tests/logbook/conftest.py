"""Every test of the logbook is made with both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.logbook import Database
from custody.logbook.address import open_database
from support.postgres import Postgres


@pytest.fixture(scope="session", autouse=True)
def _before_any_test(postgres: Postgres) -> None:
    """Start the server before the first test counts the processes that are there."""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database, of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "logbook.sqlite")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def opened(url: str) -> Iterator[Database]:
    """Return it, open."""
    database = open_database(url)
    yield database
    database.close()
