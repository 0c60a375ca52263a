"""A folder on disk, as something that patches are applied to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.patch.root_tree import RootTree
from custody.store.root import Root
from support.patches import put_tree


def test_what_stands_there(tmp_path: Path) -> None:
    tree = {
        b"a": File(REGULAR, b"x"),
        b"d/run": File(EXECUTABLE, b""),
        b"d/e/latin\xe9": File(SYMLINK, b"to\xe9"),
    }
    put_tree(tmp_path, tree)
    (tmp_path / "d" / "empty").mkdir()
    with Root.open(str(tmp_path)) as root:
        found = RootTree(root)
        assert {path: found.read(path) for path in tree} == tree
        assert found.read(b"d") is None
        assert found.read(b"missing") is None
        assert found.read(b"a/below") is None
        assert sorted(found.below(b"d")) == [b"d/e/latin\xe9", b"d/run"]
        assert [*found.below(b"a"), *found.below(b"missing")] == []


def test_nothing_behind_a_symlink_is_read(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/")
    os.mkfifo(tmp_path / "pipe")
    with Root.open(str(tmp_path)) as root:
        found = RootTree(root)
        with pytest.raises(PathRefused):
            found.read(b"out/etc/passwd")
        with pytest.raises(PathRefused):
            found.read(b"pipe")
        assert [*found.below(b"out")] == []
