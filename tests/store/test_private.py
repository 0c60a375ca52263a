"""What is made for the user alone, and what was there already."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.private import make_private_file, make_private_folder


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_file_and_its_new_folder_are_private(tmp_path: Path) -> None:
    file = tmp_path / "data" / "file"
    before = os.umask(0)
    try:
        assert make_private_file(str(file))
    finally:
        os.umask(before)
    assert (rights(file), rights(file.parent)) == (0o600, 0o700)


def test_what_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    file.chmod(0o640)
    tmp_path.chmod(0o755)
    assert not make_private_file(str(file))
    make_private_folder(str(tmp_path))
    assert (rights(file), rights(tmp_path), file.read_text()) == (0o640, 0o755, "kept")


def test_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PathRefused):
        make_private_folder(str(tmp_path / "file" / "folder"))
