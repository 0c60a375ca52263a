"""Git's plumbing: what a commit holds, and how one is made without touching anything else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from custody.errors import Refused, UsageError
from custody.workspace.repository import Held, Repository


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", *words],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    made = tmp_path / "repo" / "sub"
    made.mkdir(parents=True)
    git(made.parent, "init", "-q")
    (made / "a b").write_text("x\n")
    (made / "new\nline").write_text("y\n")
    (made.parent / "outside").write_text("z\n")
    git(made.parent, "add", "-A")
    git(made.parent, "commit", "-q", "-m", "x")
    return made


def test_what_head_holds_by_paths_of_the_folder(folder: Path) -> None:
    repository = Repository(str(folder))
    assert repository.prefix == "sub/"
    held = repository.held(["a b", "new\nline", "outside", "none"])
    assert held.keys() == {"a b", "new\nline"}
    assert held["a b"] == Held("100644", repository.blob("a b", b"x\n", filtered=True))


def test_what_is_ignored(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.log\n")
    repository = Repository(str(folder))
    assert repository.ignored(["a.log", "b", ":c.log", "odd\n.log"]) == {
        "a.log", ":c.log", "odd\n.log",
    }  # fmt: skip
    assert repository.ignored([]) == set()


def test_a_commit_and_a_branch(folder: Path, tmp_path: Path) -> None:
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@example.org")
    repository = Repository(str(folder))
    repository.refuse_nobody()
    name = repository.blob("n/é", b"new\n", filtered=True, keep=True)
    changes = [("n/é", Held("100755", name)), ("a b", None)]
    made = repository.commit(changes, "message\n", str(tmp_path / "index"))
    repository.make_branch("fix", made)
    names = git(folder, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "fix").split("\0")
    assert set(names) - {""} == {"outside", "sub/n/é", "sub/new\nline"}
    assert git(folder, "status", "--short") == ""
    with pytest.raises(Refused, match="update-ref"):
        repository.make_branch("fix", repository.head)


def test_a_folder_that_takes_the_place_of_a_file(folder: Path, tmp_path: Path) -> None:
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@example.org")
    repository = Repository(str(folder))
    name = repository.blob("a b/c", b"new\n", filtered=True, keep=True)
    changes = [("a b/c", Held("100644", name)), ("a b", None)]
    made = repository.commit(changes, "m", str(tmp_path / "index"))
    assert "sub/a b/c" in git(folder, "ls-tree", "-r", "--name-only", "--full-tree", made)


def test_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="no git repository"):
        Repository(str(tmp_path))
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(UsageError, match="the repository is bare"):
        Repository(str(tmp_path / "bare.git"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="git is not installed"):
        Repository(str(tmp_path))
    (tmp_path / "file").touch()
    for name in ("file", "nowhere"):
        with pytest.raises(UsageError, match="no such folder"):
            Repository(str(tmp_path / name))


def test_an_annotated_tag_is_made_once(folder: Path) -> None:
    git(folder, "config", "user.name", "Ann")
    git(folder, "config", "user.email", "ann@example.org")
    repository = Repository(str(folder))
    assert repository.tagged("a/b") is None
    repository.make_tag("a/b", "what is said\n\nin two parts\n")
    assert repository.tagged("a/b") == "what is said\n\nin two parts\n"
    assert git(folder, "rev-parse", "a/b^{commit}") == repository.head
    with pytest.raises(Refused, match="exists"):
        repository.make_tag("a/b", "something else\n")
    git(folder, "tag", "light")
    assert repository.tagged("light") is None


def test_a_repository_whose_path_has_lines(folder: Path) -> None:
    odd = folder.parent.rename(folder.parent.with_name("two\nlines")) / "sub"
    (odd / "in\nside").mkdir()
    (odd / "in\nside" / "f").write_text("x\n")
    git(odd, "add", "-A")
    git(odd, "commit", "-q", "-m", "y")
    repository = Repository(str(odd / "in\nside"))
    assert repository.prefix == "sub/in\nside/"
    assert repository.held(["f"]).keys() == {"f"}
