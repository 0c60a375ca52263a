"""Objects are read as they are, whatever stands beside them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from custody.logbook.git_apart import objects_alone
from custody.logbook.git_history import GitHistory
from support.histories import GitRepo


def test_nothing_but_the_objects_is_there_and_nothing_is_left(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    commit = repo.commit({"a": "1\n"})
    repo.git("config", "user.name", "Nobody")
    with objects_alone(f"{repo.folder}/.git/objects", "sha1") as variables:

        def asked(*words: str) -> str:
            command, environment = ["git", *words], {**os.environ, **variables}
            done = subprocess.run(command, check=False, env=environment, stdout=subprocess.PIPE)
            return done.stdout.decode().strip()

        assert asked("cat-file", "-t", commit) == "commit"
        assert asked("config", "user.name") == asked("for-each-ref") == ""
    assert not Path(variables["GIT_DIR"]).exists()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_no_attribute_hides_a_line(tmp_path: Path, object_format: str) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.git("init", "--quiet", f"--object-format={object_format}", "other")
    other = GitRepo(repo.folder / "other")
    commit = other.commit({"a.py": "hidden = True\n"})
    info = other.folder / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "attributes").write_text("*.py -diff\n")
    assert "hidden" not in other.git("diff-tree", "--root", "-p", commit)
    [change] = GitHistory(str(other.folder)).changes([commit])
    assert b"+hidden = True\n" in change.patch
