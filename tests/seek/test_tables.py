"""The tables of the index."""

from __future__ import annotations

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
