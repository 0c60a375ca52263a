"""Every test of the index is made with both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.logbook import Database
from custody.logbook.address import open_database
from custody.seek.index import Index
from support.postgres import Postgres
from support.seeking import switched_off


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of the search out where it is switched off, and say so."""
    here = Path(__file__).parent
    if switched_off():
        for item in items:
            if item.path.is_relative_to(here):
                item.add_marker(pytest.mark.skip(reason="SEEKDB_ENABLE=0"))


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


@pytest.fixture
def index(opened: Database) -> Index:
    """Return an empty index of words."""
    return Index(opened)
