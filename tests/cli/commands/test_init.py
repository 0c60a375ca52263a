"""The first pipeline of a folder."""

from __future__ import annotations

import subprocess

import pytest

from support.shell import Shell


def test_init_writes_a_pipeline_that_runs(custody: Shell) -> None:
    done = custody("init", "new folder")
    assert done.code == 0
    assert done.out.splitlines() == [
        "wrote new folder/pipeline.dot",
        "wrote new folder/answers.json",
        "wrote new folder/custody.toml",
        "next: cd 'new folder' && custody run pipeline.dot",
    ]
    inside = Shell(custody.folder / "new folder")
    assert inside("check", "pipeline.dot").out == "1 pipeline: 0 errors, 0 warnings\n"
    assert inside("run", "pipeline.dot").code == 0


def test_init_overwrites_nothing(custody: Shell) -> None:
    custody.write("custody.toml", "")
    done = custody("init")
    assert done.code == 1
    assert done.err.startswith("error: custody.toml exists\n")
    assert [path.name for path in custody.folder.iterdir()] == ["custody.toml"]


@pytest.mark.req("U-14")
def test_in_a_repository_git_ignores_the_runs(custody: Shell) -> None:
    subprocess.run(["git", "init", "-q"], cwd=custody.folder, check=True)
    (custody.folder / ".gitignore").write_text("*.pyc")
    assert "wrote .gitignore" in custody("init").out.splitlines()
    assert (custody.folder / ".gitignore").read_text() == "*.pyc\n.custody/\n"
    assert custody("run", "pipeline.dot").code == 0
    status = ["git", "status", "--short", "--untracked-files=all"]
    said = subprocess.run(
        status, cwd=custody.folder, capture_output=True, text=True, check=True
    ).stdout
    assert ".custody/" not in said
