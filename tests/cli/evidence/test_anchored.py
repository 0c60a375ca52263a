"""Comparing a run with its anchor from the command line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.bench import Bench
from support.shell import Here

WORK = 'a [type=tool, tool_command="true"]\nstart -> a -> done'


def test_a_run_that_was_made_anew_is_not_the_anchored_one(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    for name in ("user.name", "user.email"):
        subprocess.run(["git", "config", "--global", name, "a@b"], check=True)
    repo = bench.home / "repo"
    subprocess.run(["git", "init", "-q", repo], check=True)
    subprocess.run(["git", "-C", repo, "commit", "-qm", "x", "--allow-empty"], check=True)
    bench.run(WORK)
    custody = Here(bench.home)
    where = ("--runsdir", "runs", "--git", "repo")
    assert "others keep it when it is pushed" in custody("evidence", "anchor", "r1", *where).out
    good = custody("evidence", "anchored", "r1", *where)
    assert (good.code, good.out) == (0, "anchored  run r1: tag custody/r1\n")
    shutil.rmtree(bench.path(""))
    bench.run(WORK)
    bad = custody("evidence", "anchored", "r1", *where)
    assert bad.code == 1
    assert "not anchored  run r1: tag custody/r1" in bad.out
    for wrong in ((), ("--stamp", "x"), ("--roots", "x"), ("--git", "repo", "--stamp", "x")):
        assert custody("evidence", "anchored", "r1", "--runsdir", "runs", *wrong).code == 1
