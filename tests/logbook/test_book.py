"""The logbook as a whole: opened, opened again, and by a reader without rights."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import LogbookFailed, UsageError
from custody.logbook.book import Logbook
from custody.logbook.tables import COLUMNS


@pytest.mark.req("E-05")
def test_the_tables_are_those_that_are_documented(book: Logbook, root: Path) -> None:
    page = (root / "docs" / "reference" / "logbook.md").read_text(encoding="utf-8")
    with book.database.reading() as transaction:
        for table, columns in COLUMNS.items():
            transaction.run(f"SELECT {', '.join(columns)} FROM {table}")
            assert f"`{table}`" in page
            assert [name for name in columns if f"`{name}`" not in page] == []


def test_it_is_made_once(url: str) -> None:
    with Logbook.open(url) as first:
        assert first.applied == ["logbook:1 tables"]
    with Logbook.open(url) as second:
        assert second.applied == []


def test_a_logbook_of_a_newer_release_is_refused(url: str) -> None:
    with Logbook.open(url) as book, book.database.writing() as transaction:
        transaction.run("INSERT INTO logbook.migrations VALUES ('logbook', 2, 'x', '', '')")
    with pytest.raises(LogbookFailed, match="newer release"):
        Logbook.open(url)


def test_what_is_no_address_is_told() -> None:
    with pytest.raises(UsageError):
        Logbook.open("mongodb://server/x")
