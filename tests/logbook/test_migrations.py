"""Steps are applied once, by one process, and never edited."""

from __future__ import annotations

import subprocess
import sys

import pytest

from custody.errors import LogbookFailed
from custody.logbook import Database
from custody.logbook.migrations import Component, Step, migrate

SCHEMA = "CREATE SCHEMA IF NOT EXISTS seek"


def step(number: int, *statements: str) -> Step:
    return Step(number, f"step {number}", statements, (SCHEMA, *statements))


ONE = step(1, "CREATE TABLE seek.a (n INTEGER)")
TWO = step(2, "CREATE TABLE seek.b (n INTEGER)", "INSERT INTO seek.a VALUES (2)")
TOGETHER = """
import sys
from custody.logbook.address import open_database
from custody.logbook.migrations import Component, Step, migrate
made = ("CREATE TABLE seek.a (n INTEGER)", "INSERT INTO seek.a VALUES (1)")
database = open_database(sys.argv[1])
migrate(database, Component("x", (Step(1, "one", made, ("CREATE SCHEMA seek", *made)),)))
database.close()
"""


def test_a_step_is_applied_once(opened: Database) -> None:
    assert migrate(opened, Component("x", (ONE,))) == ["x:1 step 1"]
    assert migrate(opened, Component("x", (ONE, TWO)), Component("y", ())) == ["x:2 step 2"]
    assert migrate(opened, Component("x", (ONE, TWO))) == []
    with opened.reading() as transaction:
        assert transaction.run("SELECT n FROM seek.a") == [(2,)]


def test_of_several_processes_one_applies_it(opened: Database, url: str) -> None:
    words = [sys.executable, "-c", TOGETHER, url]
    started = [subprocess.Popen(words) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    with opened.reading() as transaction:
        assert transaction.run("SELECT n FROM seek.a") == [(1,)]


def test_all_of_what_is_missing_or_nothing(opened: Database) -> None:
    wrong = step(2, "CREATE TABLE seek.b (n INTEGER)", "SELECT n FROM seek.missing")
    with pytest.raises(Exception, match="missing"):
        migrate(opened, Component("x", (ONE, wrong)))
    assert migrate(opened, Component("x", (ONE,))) == ["x:1 step 1"]


def test_a_newer_database_is_refused(opened: Database) -> None:
    migrate(opened, Component("x", (ONE, TWO)))
    with pytest.raises(LogbookFailed) as caught:
        migrate(opened, Component("x", (ONE,)))
    assert caught.value.code == "newer"


def test_an_edited_step_is_refused(opened: Database) -> None:
    migrate(opened, Component("x", (ONE,)))
    with pytest.raises(LogbookFailed) as caught:
        migrate(opened, Component("x", (step(1, "CREATE TABLE seek.a (m INTEGER)"), TWO)))
    assert caught.value.code == "changed"
