"""What the tables are in both databases, and that the lists about them leave none out."""

from __future__ import annotations

import re

import pytest

from custody.logbook import SCHEMAS, Dialect
from custody.logbook.tables import COLUMNS, KEYS, LOGBOOK

MADE = re.compile(r"CREATE TABLE (\S+) \((.*)\)$", re.DOTALL)


def made(dialect: Dialect) -> dict[str, str]:
    """Return each table, and what it is made of."""
    statements = [one for step in LOGBOOK.steps for one in step.statements(dialect)]
    return {found[1]: found[2] for one in statements if (found := MADE.match(one))}


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_every_table_is_listed_with_its_columns_and_its_key(dialect: Dialect) -> None:
    tables = made(dialect)
    assert tables.keys() == COLUMNS.keys() == KEYS.keys()
    for table, text in tables.items():
        columns = re.findall(r"^ +([a-z]\w*) ", text, re.MULTILINE)
        assert tuple(columns) == COLUMNS[table]
        assert set(KEYS[table]) <= set(columns)
        assert "{" not in text, "a type was left to be filled in"


def test_a_table_comes_after_those_that_it_refers_to() -> None:
    order = list(COLUMNS)
    for table, text in made("sqlite").items():
        named = re.findall(r"REFERENCES (\S+)", text)
        assert [one for one in named if order.index(one) >= order.index(table)] == []
        assert table.partition(".")[0] in SCHEMAS


def test_the_steps_are_numbered_without_a_gap() -> None:
    assert [step.number for step in LOGBOOK.steps] == list(range(1, len(LOGBOOK.steps) + 1))
