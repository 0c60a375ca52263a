"""What a run changed becomes one commit, and nothing else of the repository changes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from custody import api
from custody.engine.apply import _prove
from custody.engine.apply_branch import _Compared
from custody.errors import Refused, UsageError
from custody.model.change import Change, Entry
from custody.store.rundir import RunDirectory
from custody.workspace.repository import Repository
from support.bench import Bench
from support.patches import Tree, put_tree
from support.sweep import examples
from support.taking import changes_of_all_kinds

WORK = 'work [prompt="x"]\nstart -> work -> done'


class Repo:
    """A repository of the test's, with settings of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ann")
        self.git("config", "user.email", "ann@example.org")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def _nobodys_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.workdir / "app.py").write_text("old\n")
    (made.workdir / "gone.txt").write_text("gone\n")
    return made


@pytest.fixture
def repo(bench: Bench) -> Repo:
    made = Repo(bench.workdir)
    made.commit()
    return made


EDITS: tuple[dict[str, Any], ...] = (
    {"path": "app.py", "content": "new\n"},
    {"path": "bin/tool", "content": "#!/bin/sh\n", "executable": True},
    {"path": "gone.txt", "content": None},
)


def edited(bench: Bench, *edits: dict[str, Any], **options: Any) -> str:
    book = bench.home / "book.json"
    book.write_text(json.dumps({"nodes": {"work": [{"text": "x", "edits": edits}]}}))
    return bench.run(WORK, agent=f"fake:{book}", **options).path


@pytest.mark.req("U-07")
def test_a_commit_that_names_run_head_and_verdicts(bench: Bench, repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    run = edited(bench, *EDITS)
    index = (bench.workdir / ".git/index").read_bytes()
    (bench.workdir / "app.py").write_text("work in progress\n")
    done = api.apply(run, branch="fix/it")
    assert done.conflicts == ()
    assert repo.git("rev-parse", "fix/it", "fix/it^") == f"{done.commit}\n{head}"
    assert repo.git("diff", "--name-status", "main", "fix/it").split() == [
        "M", "app.py", "A", "bin/tool", "D", "gone.txt",
    ]  # fmt: skip
    assert repo.git("ls-tree", "fix/it", "bin/").startswith("100755")
    assert repo.git("log", "-1", "--format=%an %cn", "fix/it") == "Ann Ann"
    message = repo.git("log", "-1", "--format=%B", "fix/it")
    assert "work/1.1: success (writes passed)" in message
    assert (
        f"Custody-Run: r1\nCustody-Head: {api.verify(run).head}\nCustody-Verdict: PASS" in message
    )
    assert repo.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert repo.git("rev-parse", "HEAD") == head
    assert (bench.workdir / ".git/index").read_bytes() == index
    assert (bench.workdir / "app.py").read_text() == "work in progress\n"


@pytest.mark.req("U-07")
@settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(changes_of_all_kinds)
def test_the_tree_of_the_commit_is_gits_own(
    tmp_path_factory: pytest.TempPathFactory, trees: tuple[Tree, Tree]
) -> None:
    before, after = trees
    home = tmp_path_factory.mktemp("repo")
    bench = Bench(home)
    put_tree(bench.workdir, before)
    repo = Repo(bench.workdir)
    target = home / "after"
    target.mkdir()
    put_tree(target, after)
    script = (
        "find . -mindepth 1 -maxdepth 1 ! -name zz-change -exec rm -rf {} +\n"
        f"cp -a {target}/. .\n"
    )
    (bench.workdir / "zz-change").write_text(script)
    repo.commit()
    body = 'work [type=tool, tool_command="sh zz-change"]\nstart -> work -> done'
    run = bench.run(body, confinement="L1")
    assume(run.summary.status == "PASS")  # a link that leads outside is refused
    done = api.apply(run.path, branch="fix")
    assert done.conflicts == ()
    expected = home / "expected"
    expected.mkdir()
    put_tree(expected, after)
    (expected / "zz-change").write_text(script)
    other = Repo(expected)
    other.git("add", "-A", "-f")
    tree = other.git("write-tree")
    found = repo.git("rev-parse", "fix^{tree}" if done.commit else "HEAD^{tree}")
    assert found == tree


@pytest.mark.req("U-07")
def test_what_head_holds_must_be_what_the_run_found(bench: Bench, repo: Repo) -> None:
    (bench.workdir / "app.py").write_text("not committed\n")
    (bench.workdir / "loose").write_text("not committed\n")
    run = edited(bench, *EDITS, {"path": "loose", "content": "x\n"})
    found = {one.path: one.what for one in api.apply(run, branch="fix").conflicts}
    assert found == {
        "app.py": "HEAD does not hold it as the run found it",
        "loose": "HEAD does not hold it: what the run found was not committed",
    }
    assert repo.git("branch", "--list", "fix") == ""


def test_a_file_that_came_into_head_meanwhile_is_a_conflict(bench: Bench, repo: Repo) -> None:
    run = edited(bench, *EDITS)
    (bench.workdir / "bin").mkdir()
    (bench.workdir / "bin/tool").write_text("mine\n")
    repo.commit()
    assert [one.path for one in api.apply(run, branch="fix").conflicts] == ["bin/tool"]


@pytest.mark.req("U-07")
def test_a_source_in_a_folder_of_the_repository(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    repo = Repo(top)
    bench = Bench(top)
    (bench.workdir / "app.py").write_text("old\n")
    (bench.workdir / "gone.txt").write_text("gone\n")
    (top / ".gitignore").write_text("/runs/\n/book.json\n/pipeline.dot\n")
    repo.commit()
    run = edited(bench, *EDITS)
    assert api.apply(run, branch="fix").conflicts == ()
    assert repo.git("diff", "--name-only", "main", "fix").split() == [
        "source/app.py", "source/bin/tool", "source/gone.txt",
    ]  # fmt: skip


@pytest.mark.req("U-07")
def test_line_ends_are_those_that_git_add_makes(bench: Bench, repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    (bench.workdir / "app.py").write_bytes(b"one\r\ntwo\r\n")
    repo.commit()
    assert repo.git("cat-file", "-s", "HEAD:app.py") == "8"
    run = edited(bench, {"path": "app.py", "content": "one\r\n2\r\n"})
    assert api.apply(run, branch="fix").conflicts == ()
    assert repo.git("cat-file", "-s", "fix:app.py") == "6"


def test_contents_that_head_holds_byte_for_byte_stay_so(bench: Bench, repo: Repo) -> None:
    (bench.workdir / "app.py").write_bytes(b"one\r\n")
    repo.commit()
    repo.git("config", "core.autocrlf", "input")
    run = edited(bench, {"path": "app.py", "content": "two\r\n"})
    assert api.apply(run, branch="fix").conflicts == ()
    assert repo.git("cat-file", "-s", "fix:app.py") == "5"


def test_what_git_ignores_is_left_out_and_told(bench: Bench, repo: Repo) -> None:
    (bench.workdir / ".gitignore").write_text("*.pyc\n")
    repo.commit()
    run = edited(bench, *EDITS, {"path": "lib/a.pyc", "content": "x"})
    done = api.apply(run, branch="fix")
    assert done.left_out == ("lib/a.pyc",)
    assert "lib/a.pyc" not in repo.git("ls-tree", "-r", "--name-only", "fix")


@pytest.mark.req("U-07")
def test_no_hook_runs_and_nobody_is_asked_to_sign(bench: Bench, repo: Repo) -> None:
    for hook in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        path = bench.workdir / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {bench.home}/hooked\nexit 1\n")
        path.chmod(0o755)
    repo.git("config", "commit.gpgSign", "true")
    repo.git("config", "gpg.program", "false")
    run = edited(bench, *EDITS)
    assert api.apply(run, branch="fix").commit
    assert not (bench.home / "hooked").exists()


def test_git_of_a_hook_around_does_not_count(
    bench: Bench, repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    run = edited(bench, *EDITS)
    assert api.apply(run, branch="fix").commit
    monkeypatch.undo()
    assert repo.git("rev-parse", "--verify", "fix")


def test_branches_that_cannot_be(bench: Bench, repo: Repo) -> None:
    run = edited(bench, *EDITS)
    with pytest.raises(UsageError, match="cannot be the name"):
        api.apply(run, branch="a..b")
    with pytest.raises(UsageError, match="cannot be the name"):
        api.apply(run, branch="@{-1}")
    with pytest.raises(Refused, match="branch 'main' exists"):
        api.apply(run, branch="main")
    repo.git("branch", "x")
    with pytest.raises(Refused, match="git update-ref"):
        api.apply(run, branch="x/y")


def test_a_dry_run_makes_no_branch(bench: Bench, repo: Repo) -> None:
    run = edited(bench, *EDITS)
    done = api.apply(run, branch="fix", dry_run=True)
    assert (len(done.changes), done.commit) == (3, "")
    assert repo.git("branch", "--list", "fix") == ""


def test_who_the_user_is_must_be_known(bench: Bench, repo: Repo) -> None:
    repo.git("config", "--unset", "user.email")
    run = edited(bench, *EDITS)
    with pytest.raises(UsageError, match="does not know your name") as told:
        api.apply(run, branch="fix")
    assert "user.email" in told.value.hint


def test_without_a_repository_or_a_commit(bench: Bench) -> None:
    run = edited(bench, *EDITS)
    os.environ["GIT_CEILING_DIRECTORIES"] = str(bench.home)
    try:
        with pytest.raises(UsageError, match="no git repository"):
            api.apply(run, branch="fix")
    finally:
        del os.environ["GIT_CEILING_DIRECTORIES"]
    Repo(bench.workdir)
    with pytest.raises(UsageError, match="no commit yet"):
        api.apply(run, branch="fix")


def test_a_submodule_is_not_ours_to_change(bench: Bench, repo: Repo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    inner = Repo(other)
    (other / "f").write_text("f\n")
    inner.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    repo.commit()
    run = edited(bench, {"path": "sub/f", "content": "g\n"})
    found = api.apply(run, branch="fix").conflicts
    assert [(one.path, one.what) for one in found] == [
        ("sub/f", "it lies in the submodule sub"),
    ]


def test_what_may_not_be_written_is_a_conflict_whoever_asks_for_it(
    bench: Bench, repo: Repo
) -> None:
    """No run changes such a path: a stage that does is refused. A record may say it anyway."""
    path = ".claude/settings.json"
    entry = Entry(path=path, kind="file", mode=0o644, sha256="0" * 64, bytes=1)
    with RunDirectory.open(bench.run(WORK).path, write=False) as run:
        proved = _prove(run, failed=False)
        forged = proved._replace(changes=(Change(path=path, change="added", after=entry),))
        found = _Compared(forged, Repository(str(repo.folder)))
    assert [one.path for one in found.conflicts] == [path]
    assert found.due == []


def test_no_monitor_of_the_repository_runs(bench: Bench, repo: Repo) -> None:
    called = bench.home / "called"
    monitor = bench.home / "monitor.sh"
    monitor.write_text(f"#!/bin/sh\ntouch {called}\n")
    monitor.chmod(0o755)
    run = edited(bench, *EDITS)
    repo.git("config", "core.fsmonitor", str(monitor))
    api.apply(run, branch="fix")
    assert repo.git("log", "--format=%s", "-1", "fix").startswith("Take over run")
    assert not called.exists()
