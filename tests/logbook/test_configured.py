"""Where the user's logbook is: by flag, environment, his own file; never by a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import MalformedDocument, UsageError
from custody.logbook.configured import existing, opened, places, refuse_missing


def test_the_nearest_word_counts(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    home = f"{tmp_path}/data/custody"
    assert places(environment=environment) == (f"{home}/logbook.sqlite", f"{home}/artifacts")
    own = tmp_path / ".config" / "custody" / "custody.toml"
    own.parent.mkdir(parents=True)
    own.write_text('logbook = "/own/book.sqlite"\n')
    assert places(environment=environment) == ("/own/book.sqlite", "/own/artifacts")
    environment["CUSTODY_LOGBOOK"] = "postgresql://server/db"
    assert places(environment=environment) == ("postgresql://server/db", f"{home}/artifacts")
    environment["CUSTODY_ARTIFACTS"] = "s3://bucket/x"
    assert places("/flag/book", environment=environment) == ("/flag/book", "s3://bucket/x")
    assert places("/flag/book", "/a", environment=environment) == ("/flag/book", "/a")


def test_a_file_of_the_users_that_is_wrong_is_told(tmp_path: Path) -> None:
    own = tmp_path / ".config" / "custody" / "custody.toml"
    own.parent.mkdir(parents=True)
    own.write_text("logbook = 1\n")
    with pytest.raises(MalformedDocument):
        places(environment={"HOME": str(tmp_path)})


def test_who_only_reads_makes_no_logbook(tmp_path: Path) -> None:
    environment = {"CUSTODY_LOGBOOK": str(tmp_path / "data" / "book.sqlite")}
    with existing(environment) as (book, artifacts):
        assert (book, artifacts) == (None, None)
    assert not (tmp_path / "data").exists()
    with opened(environment["CUSTODY_LOGBOOK"]) as (made, _):
        made.add_item("files", "mine")
    with existing(environment) as (book, artifacts):
        assert book is not None
        assert artifacts is not None
        assert book.items()[0].name == "mine"


def test_one_that_nobody_has_begun_is_not_made_to_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "typing-mistake.sqlite"
    with pytest.raises(UsageError, match="there is no logbook") as refused:
        refuse_missing(str(missing))
    assert "custody logbook add" in refused.value.hint
    assert not missing.exists()
    refuse_missing("postgresql://server/db")
    missing.touch()
    refuse_missing(f"sqlite://{missing}")
