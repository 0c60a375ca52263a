"""The questions of a logbook's own history, of git and of Subversion."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.logbook.artifacts import open_artifacts
from custody.logbook.book import Logbook
from custody.logbook.git_sync import sync_git
from custody.logbook.svn_sync import sync_svn
from custody.resolvers.choose import configured
from custody.seek.configured import index_of
from custody.seek.history import Questions, questions_of
from custody.seek.update import IndexUpdate
from support.histories import GitRepo, SvnRepo
from support.programs import needs

pytestmark = pytest.mark.req("E-10")


def asked_of(url: str, tmp_path: Path, repo: GitRepo | SvnRepo, most: int = 100) -> Questions:
    """Take a history into a logbook, index it, and ask."""
    store = open_artifacts(str(tmp_path / "artifacts"))
    with Logbook.open(url) as book:
        if isinstance(repo, GitRepo):
            sync_git(book, store, str(repo.folder), name="it")
        else:
            sync_svn(book, store, repo.url, name="it")
        resolver = configured({}, folder=str(tmp_path), pointers=book, artifacts=store)
        IndexUpdate(index_of(book.database), book, resolver, lambda _: None).run(None)
        asked = questions_of(book.database, resolver, most)
    store.close()
    return asked


def told(number: int) -> str:
    return f"give room {number} a door"


def test_commits_ask_for_their_patches_in_the_order_of_time(url: str, tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    commits = [repo.commit({"rooms": f"{number}\n"}, told(number)) for number in range(20)]
    repo.commit({"rooms": "a door for the room with two windows\n"}, "A door for the room")
    asked = asked_of(url, tmp_path, repo)
    assert [one.text for one in asked.test] == [told(number) for number in range(15, 20)]
    assert [one.answer for one in asked.test] == [f"1:{commit}" for commit in commits[15:]]
    assert [one.text for one in asked.dev] == [told(12), told(13), told(14)]


def test_so_many_are_asked_as_are_wanted(url: str, tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    for number in range(20):
        repo.commit({"rooms": f"{number}\n"}, told(number))
    asked = asked_of(url, tmp_path, repo, most=2)
    assert [one.text for one in asked.test] == [told(15), told(17)]


@needs("svnadmin")
def test_revisions_ask_as_well(url: str, tmp_path: Path) -> None:
    repo = SvnRepo(tmp_path / "svn")
    for number in range(8):
        repo.commit({"rooms": f"{number}\n"}, told(number))
    asked = asked_of(url, tmp_path, repo)
    assert [one.text for one in asked.test] == [told(6), told(7)]
    assert [one.answer for one in asked.test] == ["1:7", "1:8"]
