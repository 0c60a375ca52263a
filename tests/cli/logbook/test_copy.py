"""``custody logbook copy``."""

from __future__ import annotations

import pytest

from support.shell import Here


def test_a_logbook_is_copied_with_its_artifacts(user: Here) -> None:
    user.write("a.txt", "one")
    user("logbook", "add", "a.txt")
    done = user("logbook", "copy", "--to", "there/book.sqlite")
    assert done.code == 0, done.err
    assert "3 new rows, 1 artifact" in done.out
    again = user("logbook", "copy", "--to", "there/book.sqlite", "--json").data
    assert sum(again["rows"].values()) == 0
    assert user("logbook", "verify", "--logbook", "there/book.sqlite").code == 0


@pytest.mark.parametrize("words", [(), ("--to", "book.sqlite"), ("--to", "ftp://x/y")])
def test_what_is_no_target_is_told(user: Here, words: tuple[str, ...]) -> None:
    done = user("logbook", "copy", *words, "--logbook", "book.sqlite")
    assert (done.code, done.out) == (1, "")


def test_nothing_is_copied_of_a_logbook_that_is_not_there(user: Here) -> None:
    done = user("logbook", "copy", "--logbook", "typing-mistake.sqlite", "--to", "there.sqlite")
    assert (done.code, done.out) == (1, "")
    assert "there is no logbook" in done.err
    assert not [*user.folder.glob("*.sqlite")]
