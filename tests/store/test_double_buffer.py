"""A file that is replaced over and over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.double_buffer import DoubleBuffer
from custody.store.root import Root


def test_the_name_always_stands_for_the_last_content(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        buffer = DoubleBuffer(root, "view")
        for size in (0, 5, 10_000, 3, 3, 700):
            content = os.urandom(size)
            buffer.put(content)
            assert (tmp_path / "view").read_bytes() == content
        buffer.close()
    assert os.listdir(tmp_path) == ["view"]


def test_no_inode_is_made_or_freed_once_it_goes(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        buffer = DoubleBuffer(root, "view")
        buffer.put(b"first")
        buffer.put(b"second")
        inodes = {(tmp_path / name).stat().st_ino for name in os.listdir(tmp_path)}
        for number in range(10):
            buffer.put(f"turn {number}".encode())
        assert {(tmp_path / name).stat().st_ino for name in os.listdir(tmp_path)} == inodes
        buffer.close()


def test_what_stood_there_before_is_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "view").write_text("an old one, and longer")
    with Root.open(str(tmp_path)) as root:
        buffer = DoubleBuffer(root, "view")
        buffer.put(b"new")
        buffer.close()
    assert (tmp_path / "view").read_bytes() == b"new"


def test_a_name_that_was_taken_away_is_a_failure_with_a_place(tmp_path: Path) -> None:
    with Root.open(str(tmp_path)) as root:
        buffer = DoubleBuffer(root, "view")
        buffer.put(b"first")
        (tmp_path / "view").unlink()
        with pytest.raises(PathRefused, match="view"):
            buffer.put(b"second")
        buffer.close()
