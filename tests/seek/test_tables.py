"""The tables of the index."""

from __future__ import annotations

import re
from pathlib import Path

from custody.logbook import Database
from custody.logbook.migrations import migrate
from custody.seek.tables import FILLED, SEEK


def test_they_are_made_once_and_hold_no_text_of_a_source(opened: Database) -> None:
    assert migrate(opened, SEEK) == ["seek:1 index"]
    assert migrate(opened, SEEK) == []
    with opened.reading() as transaction:
        for table in FILLED:
            assert transaction.run(f"SELECT count(*) FROM seek.{table}") == [(0,)]


def test_every_table_is_emptied_when_the_index_is_rebuilt() -> None:
    made = {
        statement.split()[2].removeprefix("seek.")
        for statement in SEEK.steps[0].sqlite
        if statement.startswith("CREATE TABLE")
    }
    assert made == set(FILLED)


def test_the_tables_are_those_that_are_documented(opened: Database, root: Path) -> None:
    migrate(opened, SEEK)
    page = (root / "docs" / "reference" / "logbook.md").read_text(encoding="utf-8")
    for table in FILLED:
        [row] = [line for line in page.splitlines() if line.startswith(f"| `seek.{table}` |")]
        columns = re.findall(r"`(\w+)`", row.rpartition(" | ")[2])
        with opened.reading() as transaction:
            transaction.run(f"SELECT {', '.join(columns)} FROM seek.{table}")
        [made] = [one for one in SEEK.steps[0].sqlite if one.split()[2] == f"seek.{table}"]
        assert re.findall(r"^        (\w+) [A-Z]", made, re.MULTILINE)[: len(columns)] == columns
