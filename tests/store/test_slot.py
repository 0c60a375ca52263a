"""A file that is replaced over and over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.root import Root
from custody.store.slot import Slot


def test_the_name_always_stands_for_the_last_content(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        slot = Slot(root, "view")
        for size in (0, 5, 10_000, 3, 3, 700):
            content = os.urandom(size)
            slot.put(content)
            assert (tmp_path / "view").read_bytes() == content
        slot.close()
    assert os.listdir(tmp_path) == ["view"]


def test_no_inode_is_made_or_freed_once_it_goes(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        slot = Slot(root, "view")
        slot.put(b"first")
        slot.put(b"second")
        inodes = {(tmp_path / name).stat().st_ino for name in os.listdir(tmp_path)}
        for number in range(10):
            slot.put(f"turn {number}".encode())
        assert {(tmp_path / name).stat().st_ino for name in os.listdir(tmp_path)} == inodes
        slot.close()


def test_what_stood_there_before_is_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "view").write_text("an old one, and longer")
    with Root.open(str(tmp_path)) as root:
        slot = Slot(root, "view")
        slot.put(b"new")
        slot.close()
    assert (tmp_path / "view").read_bytes() == b"new"


def test_a_name_that_was_taken_away_is_a_failure_with_a_place(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        slot = Slot(root, "view")
        slot.put(b"first")
        (tmp_path / "view").unlink()
        with pytest.raises(PathRefused, match="view"):
            slot.put(b"second")
        slot.close()
