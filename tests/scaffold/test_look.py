"""The files of a folder are read as they are, and what cannot be read is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.scaffold.look import MOST_READ, look_at


def test_a_project_is_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "again.toml").hardlink_to(tmp_path / "pyproject.toml")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "tests").mkdir()
    found = look_at(str(tmp_path))
    assert (found.tests, found.code, found.mixed) == ("python3 -m pytest -q", ("pkg/",), False)


def test_odd_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "package.json").symlink_to("/dev/zero")
    (tmp_path / "Makefile").mkdir()
    (tmp_path / "tests").symlink_to("nowhere")
    (tmp_path / "setup.cfg").write_bytes(b"\xff" * (MOST_READ + 1))
    assert look_at(str(tmp_path)).tests == ""


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PathRefused, match="there is no such file"):
        look_at(str(tmp_path / "none"))
