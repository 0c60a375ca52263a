"""Which logbook is searched, and where documents are."""

from __future__ import annotations

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
