"""Which logbook is searched, and where documents are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.shell import Here


def test_the_logbook_can_be_named(user: Here) -> None:
    assert user("seek", "index", "--logbook", "other.sqlite", "--json").data["added"] == 1
    told = user("seek", "status", "--logbook", "other.sqlite", "--json").data
    assert told["logbook"] == str(user.folder / "other.sqlite")
    assert told["root"] == str(user.folder)


def test_documents_of_another_repository_are_not_found_here(user: Here) -> None:
    user("seek", "index")
    (user.folder / "docs" / ".git").mkdir()
    below = Here(user.folder / "docs")
    below.environment = user.environment
    found = below("seek", "search", "guide", "--kind", "document", "--json").data
    assert found["hits"] == []


def test_a_root_that_is_no_text_is_refused(user: Here) -> None:
    odd = Here(Path(os.fsdecode(os.fsencode(user.folder) + b"/caf\xe9")))
    (odd.folder / ".git").mkdir(parents=True)
    odd.environment = user.environment
    for words in (("index",), ("search", "guide"), ("status",)):
        done = odd("seek", *words)
        assert done.code != 0
        assert "not UTF-8" in done.err
        assert "CUSTODY_DOCS_ROOT" in done.err
    assert odd("seek", "index", CUSTODY_DOCS_ROOT=str(user.folder)).code == 0


@pytest.mark.parametrize("words", [("search", "guide"), ("eval",)])
def test_a_logbook_that_is_not_there_is_not_searched(user: Here, words: tuple[str, ...]) -> None:
    done = user("seek", *words, "--logbook", "typing-mistake.sqlite")
    assert (done.code, done.out) == (1, "")
    assert "there is no logbook" in done.err
    assert not (user.folder / "typing-mistake.sqlite").exists()
