"""Finding the design of a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.skills.locator import locate, trouble
from custody.store.search import FoundFile

pytestmark = pytest.mark.req("S-11")


def design(folder: Path, name: str = "top", *, file: bool = False) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.enc").write_text("restore\n")
    if file:
        (folder / f"{name}.enc.dat").write_text("data\n")
    else:
        (folder / f"{name}.enc.dat").mkdir()
    return str(folder / f"{name}.enc")


@pytest.mark.parametrize("file", [True, False])
def test_a_name_is_looked_for_three_levels_deep(tmp_path: Path, *, file: bool) -> None:
    path = design(tmp_path / "a" / "b", file=file)
    design(tmp_path / "a" / "b" / "c", "deep")
    found = locate("top", str(tmp_path))
    assert found.selected is not None
    assert (found.mode, found.selection_reason) == ("cwd_scan", "unique_scan_result")
    assert (found.selected.enc_path, found.selected.enc_dat_path) == (path, f"{path}.dat")
    assert [one.path for one in found.candidates] == [path]
    assert found.candidates[0].mtime.endswith("Z")
    assert locate("deep", str(tmp_path)).problem.startswith("there is no deep.enc")


@pytest.mark.parametrize("query", ["./top.enc", "top.enc", "a/../top.enc"])
def test_a_path_is_taken_as_it_is(tmp_path: Path, query: str) -> None:
    path = design(tmp_path)
    (tmp_path / "a").mkdir()
    found = locate(query, str(tmp_path))
    assert found.selected is not None
    assert (found.mode, found.selection_reason) == ("explicit_path", "direct_match")
    assert found.selected.enc_path == path


def test_of_several_one_must_be_chosen(tmp_path: Path) -> None:
    paths = [design(tmp_path / name) for name in ("a", "b")]
    found = locate("top", str(tmp_path))
    assert found.selected is None
    assert found.problem == (
        f"2 designs are named top: choose by --select N: 1 {paths[0]}, 2 {paths[1]}"
    )
    assert [one.path for one in found.candidates] == paths
    chosen = locate("top", str(tmp_path), 2)
    assert chosen.selected is not None
    assert (chosen.selected.enc_path, chosen.selection_reason) == (paths[1], "user_selected")
    assert locate("top", str(tmp_path), 3).problem == "--select 3: there are 2 designs named top"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "no design is named"),
        ("gone.enc", "is not there"),
        ("folder.enc", "is a folder"),
        ("half", "half.enc.dat is not there"),
        ("other/", "is a folder"),
    ],
)
def test_what_is_not_whole_is_told(tmp_path: Path, query: str, problem: str) -> None:
    (tmp_path / "folder.enc").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "half.enc").write_text("")
    found = locate(query, str(tmp_path))
    assert found.selected is None
    assert problem in found.problem


def test_what_cannot_be_read_is_told() -> None:
    good = FoundFile("top.enc", 0, 1, is_folder=False, readable=True)
    closed = good._replace(readable=False)
    assert trouble("top.enc", closed, good) == "top.enc cannot be read"
    assert trouble("top.enc", good, closed) == "top.enc.dat cannot be read"
    assert trouble("top.enc", good, good) == ""


def test_hidden_folders_and_links_are_not_gone_into(tmp_path: Path) -> None:
    design(tmp_path / ".skillpilot")
    (tmp_path / "away").symlink_to(tmp_path / ".skillpilot")
    assert locate("top", str(tmp_path)).candidates == ()


def test_a_path_that_no_script_can_hold_is_told(tmp_path: Path) -> None:
    odd = design(tmp_path / "b\udcff")
    named = f"{odd!a} is not UTF-8: give it another name"
    assert locate("top", str(tmp_path)).problem == named
    usual = design(tmp_path / "a")
    found = locate("top", str(tmp_path))
    assert found.selected is None
    assert found.problem == f"{named}, or choose another one by --select N"
    assert [one.path for one in found.candidates] == [usual]
    chosen = locate("top", str(tmp_path), 1).selected
    assert chosen is not None
    assert chosen.enc_path == usual
    assert locate("top", str(tmp_path), 2).problem == "--select 2: there is 1 design named top"
    (tmp_path / "link").symlink_to("b\udcff")
    assert locate("link/top.enc", str(tmp_path)).problem == named
