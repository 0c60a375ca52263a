"""Writing into the folders of a run directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.folders import Folders
from custody.store.root import Root


def test_folders_are_made_where_they_are_missing(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        folders = Folders(root)
        folders.write("nodes/a/1.1/x", b"x")
        folders.write("top", b"y")
        folders.close()
    assert (tmp_path / "nodes/a/1.1/x").read_bytes() == b"x"
    assert (tmp_path / "top").read_bytes() == b"y"


def test_making_tells_whether_the_name_was_free(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        folders = Folders(root)
        assert folders.make("nodes/a/1.1")
        assert not folders.make("nodes/a/1.1")
        folders.close()


def test_only_a_few_stay_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Root.open(str(tmp_path)) as root:
        folders = Folders(root)
        for number in range(100):
            folders.write(f"nodes/n{number}/1.1/x", b"x")
        assert len(os.listdir("/proc/self/fd")) - before < 12
        folders.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_symlink_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    inside = tmp_path / "run"
    inside.mkdir()
    (inside / "nodes").symlink_to(outside)
    with Root.open(str(inside)) as root:
        folders = Folders(root)
        with pytest.raises(PathRefused, match="nodes"):
            folders.write("nodes/x", b"x")
        with pytest.raises(PathRefused, match="nodes"):
            folders.make("nodes/y")
        folders.close()
    assert os.listdir(outside) == []
