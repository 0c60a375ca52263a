"""Anchoring from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.authority import Authority
from support.bench import Bench
from support.programs import needs
from support.shell import Here


@needs("openssl")
def test_a_place_must_be_named_and_a_stamp_is_a_file(bench: Bench, tmp_path: Path) -> None:
    bench.run('a [type=tool, tool_command="true"]\nstart -> a -> done')
    custody = Here(bench.home)
    words = ("evidence", "anchor", "r1", "--runsdir", "runs")
    with Authority(tmp_path / "authority") as authority:
        for wrong in ((), ("--git", ".", "--tsa", authority.url), ("--tsa", authority.url)):
            assert custody(*words, *wrong).code == 1
        done = custody(*words, "--tsa", authority.url, "--output", "stamp.json")
    assert (done.code, done.out) == (0, "wrote stamp.json\n")
    assert (bench.home / "stamp.json").exists()


def test_a_folder_that_is_no_repository_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(bench.home.parent))
    bench.run('a [type=tool, tool_command="true"]\nstart -> a -> done')
    done = Here(bench.home)("evidence", "anchor", "r1", "--runsdir", "runs", "--git", ".")
    assert done.code == 1
    assert "no git repository" in done.err


@pytest.mark.parametrize("place", ["nowhere", "file"])
@pytest.mark.parametrize("action", ["anchor", "anchored"])
def test_a_place_that_is_no_folder_is_told(bench: Bench, action: str, place: str) -> None:
    (bench.home / "file").touch()
    bench.run('a [type=tool, tool_command="true"]\nstart -> a -> done')
    done = Here(bench.home)("evidence", action, "r1", "--runsdir", "runs", "--git", place)
    assert (done.code, done.out) == (1, "")
    assert "there is no such folder\n  at: " + place in done.err
