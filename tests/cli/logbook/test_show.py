"""``custody logbook show``."""

from __future__ import annotations

import pytest

from custody.cli.logbook.show import PARTS
from support.histories import GitRepo
from support.shell import Here


@pytest.fixture
def filled(user: Here) -> Here:
    repo = GitRepo(user.folder / "repo")
    for number in range(3):
        repo.commit({"a": f"{number}\n"})
    user("logbook", "sync-git", "repo", "--name", "it")
    user("logbook", "add", "repo/a")
    return user


def test_how_much_there_is(filled: Here) -> None:
    told = filled("logbook", "show", "--json").data
    assert told["logbook"] == f"{filled.folder}/data/custody/logbook.sqlite"
    assert (told["scm.patch_blobs"], told["logbook.attachments"]) == (3, 1)
    assert "scm.git_commits" in filled("logbook", "show").out


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_shown(filled: Here, user: Here, part: str) -> None:
    done = filled("logbook", "show", part)
    assert done.code == 0
    rows = filled("logbook", "show", part, "--json").data[part]
    assert len(done.out.splitlines()) == len(rows) > 0
    empty = user("logbook", "show", part, "--logbook", "other.sqlite")
    assert empty.out == f"no {part}\n"


def test_one_goes_on_where_one_stopped(filled: Here) -> None:
    words = ("logbook", "show", "patches", "--after", "1", "--limit", "1", "--json")
    assert [row["blob_id"] for row in filled(*words).data["patches"]] == [2]


@pytest.mark.parametrize("words", [("nothing",), ("items", "patches"), ("items", "--limit", "0")])
def test_what_cannot_be_shown_is_told(user: Here, words: tuple[str, ...]) -> None:
    assert user("logbook", "show", *words).code == 1
