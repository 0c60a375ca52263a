"""Repositories by name, and what is held of them."""

from __future__ import annotations

from custody.logbook import repos
from custody.logbook.book import Logbook
from custody.logbook.change import HistoryChange


def test_a_repository_is_there_once_and_where_it_was_seen_last(book: Logbook) -> None:
    def add(name: str, location: str) -> int:
        added = book.database.repeat(lambda it: repos.add_repo(it, "git", name, location))
        return added.repo_id

    assert [add("a", "/1"), add("a", "/1"), add("a", "/2"), add("b", "/2")][0::3] == [
        1,
        book.repos()[1].repo_id,
    ]
    assert [repo.location for repo in book.repos()] == ["/2", "/2"]


def test_commits_are_added_once_and_known(book: Logbook) -> None:
    book.database.repeat(lambda it: repos.add_repo(it, "git", "a", "/a"))
    changes = [HistoryChange(name * 40, "", "s\0" * 9, {}, b"", "diff", {}) for name in "ab"]
    assert book.database.repeat(lambda it: repos.add_commits(it, 1, changes)) == 2
    assert book.database.repeat(lambda it: repos.add_commits(it, 1, changes)) == 0
    with book.database.reading() as transaction:
        assert repos.known_commits(transaction, 1, ["a" * 40, "c" * 40]) == {"a" * 40}
        assert repos.known_commits(transaction, 1, []) == set()
        assert repos.commits(transaction, 1, after="a" * 40) == ["b" * 40]
