"""``custody apply`` as a user has it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.shell import FAILING, Shell

PIPELINE = """
digraph p {
    start [shape=Mdiamond]
    work  [type=tool, tool_command="sh change.sh"]
    done  [shape=Msquare]
    start -> work -> done
}
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    made.environment |= {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    project = tmp_path / "project"
    project.mkdir()
    (project / "app.py").write_text("old\n")
    (project / "gone").write_text("gone\n")
    (project / "change.sh").write_text("echo new > app.py; rm gone; mkdir n; echo x > n/x\n")
    made.write("p.dot", PIPELINE)
    assert made("run", "p.dot", "--workdir", "project", "--run-id", "r1").code == 0
    return made


@pytest.mark.req("U-07")
def test_into_the_source(shell: Shell) -> None:
    done = shell("apply", "r1", "--dry-run")
    assert done.code == 0
    assert done.out.splitlines() == [
        "modified app.py",
        "deleted  gone",
        "added    n",
        "added    n/x",
        "4 changes of run r1 (PASS) would go to project",
    ]
    assert shell("apply", "r1").out.splitlines()[-1] == (
        "4 changes of run r1 (PASS) taken over to project"
    )
    assert (shell.folder / "project/app.py").read_text() == "new\n"
    assert shell("apply", "r1").out.splitlines() == [
        "4 paths are as the run left them already",
        "nothing to take over from run r1 (PASS)",
    ]


@pytest.mark.req("U-07")
def test_conflicts_are_listed_at_once(shell: Shell) -> None:
    (shell.folder / "project/app.py").write_text("mine\n")
    (shell.folder / "project/n").write_text("mine\n")
    done = shell("apply", "r1")
    assert done.code == 1
    assert done.out.splitlines() == [
        "nothing was changed: 2 conflicts in project",
        "  app.py: its content is not what the run found",
        "  n: the run made it anew, and something else is there by now",
        "hint: put them back as the run found them, or choose another folder with --to",
    ]
    told = shell("apply", "r1", "--json")
    assert told.code == 1
    assert [one["path"] for one in told.data["conflicts"]] == ["app.py", "n"]
    assert (shell.folder / "project/gone").exists()


@pytest.mark.req("U-07")
def test_as_a_commit(shell: Shell) -> None:
    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=A", "-c", "user.email=a@b", *words]
        return subprocess.run(
            command, cwd=shell.folder / "project", capture_output=True, text=True, check=True,
            env=shell.environment,
        ).stdout  # fmt: skip

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    nobody = shell("apply", "r1", "--branch", "fix")
    assert nobody.code == 1
    assert "hint: `git config --global user.name" in nobody.err
    git("config", "user.name", "Ann")
    git("config", "user.email", "ann@example.org")
    done = shell("apply", "r1", "--branch", "fix")
    commit = git("rev-parse", "fix").strip()
    assert done.out.splitlines()[-2:] == [
        f"3 changes of run r1 (PASS) went into commit {commit[:12]} on branch fix",
        "next: git diff HEAD...fix",
    ]
    assert git("status", "--short") == ""
    assert shell("apply", "r1", "--branch", "fix").code == 1


def test_one_change_is_told_as_one(shell: Shell) -> None:
    shell.write("one.dot", PIPELINE.replace("sh change.sh", "touch one"))
    shell("run", "one.dot", "--workdir", "project", "--run-id", "one")
    for words in (["init", "-q"], ["config", "user.name", "A"], ["config", "user.email", "a@b.c"]):
        subprocess.run(["git", *words], cwd=shell.folder / "project", check=True)
    subprocess.run(["git", "add", "."], cwd=shell.folder / "project", check=True)
    subprocess.run(["git", "commit", "-qm", "x"], cwd=shell.folder / "project", check=True)
    done = shell("apply", "one", "--branch", "fix")
    assert "1 change of run one (PASS) went into commit " in done.out, done.err


def test_a_run_that_failed(shell: Shell) -> None:
    shell.write("f.dot", FAILING)
    shell("run", "f.dot", "--workdir", "project", "--run-id", "r2")
    done = shell("apply", "r2")
    assert done.code == 1
    assert done.err.startswith("error: run r2 failed: nothing is applied\n")
    assert "hint: --failed takes over" in done.err
    assert shell("apply", "r2", "--failed").out == "nothing to take over from run r2 (FAIL)\n"


@pytest.mark.parametrize("option", ["--branch", "--to"])
def test_a_place_that_a_shell_left_empty_is_not_the_source(shell: Shell, option: str) -> None:
    done = shell("apply", "r1", option, "")
    assert done.code == 1
    assert done.err == f"error: {option} is empty\n  hint: is a variable of the shell not set?\n"
    assert (shell.folder / "project/app.py").read_text() == "old\n"
