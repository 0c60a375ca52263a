"""A FIFO wakes whoever reads it, and nobody is harmed where there is none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from custody.store.root import Root
from custody.store.wake import Wake


@pytest.fixture
def wake(tree: Root) -> Wake:
    """Return a FIFO that is not there yet."""
    return Wake(tree, "box/wake")


@pytest.fixture
def place(tree: Root) -> Path:
    """Return where it will be."""
    tree.make_dirs("box")
    return Path(tree.path) / "box/wake"


def test_what_is_told_is_read_line_by_line(wake: Wake, place: Path) -> None:
    with wake.kept() as there:
        assert there
        assert stat.S_ISFIFO(place.lstat().st_mode)
        reader = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
        wake.tell("one")
        wake.tell("two")
        assert os.read(reader, 100) == b"one\ntwo\n"
        with pytest.raises(BlockingIOError):
            os.read(reader, 100)  # its end is not seen as long as it is kept
    assert os.read(reader, 100) == b""
    os.close(reader)
    assert not place.exists()


def test_nobody_need_read(wake: Wake, place: Path) -> None:
    wake.tell("to nobody")
    os.mkfifo(place)
    wake.tell("to nobody")
    assert place.exists()


def test_one_that_is_full_is_left_alone(wake: Wake, place: Path) -> None:
    with wake.kept():
        for _ in range(40):
            wake.tell("x" * 4000)
    assert not place.exists()


def test_one_that_was_left_is_taken_over(wake: Wake, place: Path) -> None:
    os.mkfifo(place)
    with wake.kept() as there:
        assert there
    assert not place.exists()


@pytest.mark.parametrize("other", ["file", "link", "folder"])
def test_nothing_else_is_written_to(wake: Wake, place: Path, tmp_path: Path, other: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("")
    if other == "file":
        place.write_text("")
    elif other == "link":
        place.symlink_to(elsewhere)
    else:
        place.mkdir()
    with wake.kept() as there:
        assert not there
        wake.tell("word")
    assert elsewhere.read_text() == ""
    assert other != "file" or place.read_text() == ""


def test_a_place_where_none_can_be(tree: Root) -> None:
    wake = Wake(tree, "missing/wake")
    with wake.kept() as there:
        assert not there
        wake.tell("word")
    wake.remove()
