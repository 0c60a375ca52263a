"""Many runs: how they are named, found and listed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from custody.errors import RunNotFound, UsageError
from custody.store.index import BROKEN, check_run_id, find_run, list_runs, new_run_id


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder with four runs, one of them broken, and things that are none."""
    folder = tmp_path / "runs"
    for name, started in (("b_new", "2026-02"), ("a_old", "2026-01"), ("a_other", "2026-03")):
        (folder / name).mkdir(parents=True)
        (folder / name / "manifest.json").write_text(
            f'{{"schema_version":"1.0","run_id":"{name}","status":"PASS","pipeline":"p",'
            f'"goal":"g","started_at":"{started}","more":[1]}}'
        )
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{")
    (folder / ".hidden").mkdir()
    (folder / "file").write_text("")
    (folder / "link").symlink_to("a_old")
    return folder


@pytest.mark.req("S-01")
def test_new_ids() -> None:
    one, two = new_run_id(1_700_000_000.9), new_run_id()
    assert re.fullmatch(rf"20231114_221320_{os.getpid()}_[0-9a-f]{{4}}", one)
    assert check_run_id(two) == two


@pytest.mark.parametrize("text", ["", ".", "-x", "a/b", "a\n", "é", "last", "x" * 65, "../x"])
def test_ids_that_are_none(text: str) -> None:
    with pytest.raises(UsageError):
        check_run_id(text)


@pytest.mark.parametrize(
    ("name", "found"),
    [("a_old", "a_old"), ("b_", "b_new"), ("a_ot", "a_other"), ("last", "a_other")],
)
def test_a_run_by_id_prefix_or_last(runs: Path, name: str, found: str) -> None:
    assert find_run(name, str(runs)) == str(runs / found)


def test_an_id_wins_over_a_longer_one(runs: Path) -> None:
    (runs / "a").mkdir()
    assert find_run("a", str(runs)) == str(runs / "a")


def test_a_run_by_path(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_run(str(runs / "a_old"), "elsewhere") == str(runs / "a_old")
    monkeypatch.chdir(runs)
    assert find_run("./a_old", "elsewhere") == str(runs / "a_old")
    assert find_run("a_old", "elsewhere") == str(runs / "a_old")
    monkeypatch.chdir(runs / "a_old")
    assert find_run(".", "elsewhere") == str(runs / "a_old")


@pytest.mark.parametrize("name", ["a_", "x", "./x", "/nowhere", "file", ""])
def test_none_or_more_than_one(runs: Path, name: str) -> None:
    with pytest.raises(RunNotFound) as caught:
        find_run(name, str(runs))
    assert caught.value.hint


def test_no_run_yet(tmp_path: Path) -> None:
    assert list_runs(str(tmp_path / "nowhere")) == []
    with pytest.raises(RunNotFound):
        find_run("last", str(tmp_path))


def test_the_latest_is_last_and_a_broken_one_is_no_error(runs: Path) -> None:
    rows = list_runs(str(runs))
    assert [row.run_id for row in rows] == ["broken", "a_old", "b_new", "a_other"]
    assert [row.status for row in rows] == [BROKEN, "PASS", "PASS", "PASS"]
    assert rows[0].problem
    assert rows[3].path == str(runs / "a_other")
    assert (rows[3].pipeline, rows[3].goal, rows[3].ended_at) == ("p", "g", "")


def test_no_name_is_no_prefix(runs: Path) -> None:
    with pytest.raises(RunNotFound, match="no run is named"):
        find_run("", str(runs))
