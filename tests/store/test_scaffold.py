"""New files in a folder, and a line that git reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import UsageError
from custody.store.scaffold import ignore, scaffold


def test_new_files_or_none(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert scaffold(str(folder), {"x": b"1"}) == (str(folder / "x"),)
    with pytest.raises(UsageError, match="x exists"):
        scaffold(str(folder), {"y": b"2", "x": b"3"})
    assert sorted(path.name for path in folder.iterdir()) == ["x"]


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine\n")
    with pytest.raises(UsageError, match="is no folder"):
        scaffold(str(tmp_path / "a"), {"x": b"1"})
    assert (tmp_path / "a").read_text() == "mine\n"


@pytest.mark.req("U-14")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, ".custody/\n"),
        ("", ".custody/\n"),
        ("*.pyc", "*.pyc\n.custody/\n"),
        ("*.pyc\n", "*.pyc\n.custody/\n"),
        (".custody/\n", None),
        ("x\n/.custody\n", None),
    ],
)
def test_the_line_is_added_once(before: str | None, after: str | None, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / ".gitignore"
    if before is not None:
        file.write_text(before)
    assert bool(ignore(str(tmp_path), ".custody/")) is (after is not None)
    assert file.read_text() == (before if after is None else after)
    assert ignore(str(tmp_path), ".custody/") == ""


def test_nothing_is_written_outside_of_a_repository(tmp_path: Path) -> None:
    assert ignore(str(tmp_path), ".custody/") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_inside_a_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")  # a worktree
    inner = tmp_path / "inner"
    written = scaffold(str(inner), {"x": b"1"}, ignored=".custody/")
    assert written == (str(inner / "x"), str(inner / ".gitignore"))
