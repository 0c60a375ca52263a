"""``custody logbook sync-git`` and ``sync-svn``."""

from __future__ import annotations

import pytest

from support.histories import GitRepo, SvnRepo
from support.programs import needs
from support.shell import Here


@pytest.mark.req("E-05")
def test_what_came_of_a_history_is_told(user: Here) -> None:
    repo = GitRepo(user.folder / "repo")
    repo.commit({"a": "1\n", "bin": b"\0"})
    repo.commit({}, "empty")
    repo.commit({"large": "line\n" * 300_000})
    done = user("logbook", "sync-git", "repo", "--name", "it")
    assert done.out.splitlines() == [
        "1 commit changed no file, as merges do",
        "1 patch too large to keep: what they changed is listed",
        "1 binary file whose content no patch shows",
        f"it: 3 new commits, 2 patches; up to {repo.git('rev-parse', 'HEAD')[:12]}",
    ]
    repo.git("commit", "--quiet", "--amend", "--message", "amended")
    again = user("logbook", "sync-git", "repo", "--name", "it", "--revision", "main")
    assert again.out.startswith("note: the history was rewritten")


@needs("svnadmin")
def test_revisions_are_told(user: Here) -> None:
    repo = SvnRepo(user.folder / "svn")
    repo.commit({"a": "1\n"})
    done = user("logbook", "sync-svn", repo.url, "--json")
    assert (done.code, done.data["changes"], done.data["tip"]) == (0, 1, "1")
    assert "0 new revisions, 0 patches" in user("logbook", "sync-svn", repo.url).out


@pytest.mark.parametrize("words", [("nowhere",), (".",), ("a", "b"), ("--head", "x")])
def test_what_is_no_history_is_told(user: Here, words: tuple[str, ...]) -> None:
    done = user("logbook", "sync-git", *words)
    assert (done.code, done.out) == (1, "")
