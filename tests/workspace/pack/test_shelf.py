"""Files of a repository are opened without leaving it, one version of each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.model.relpath import RelPath
from custody.store.root import Root
from custody.workspace.pack.shelf import Shelf
from custody.workspace.pack.sight import PackSight

NAME = RelPath.parse("a.txt")


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with Root.open(str(tmp_path)) as root:
        yield Shelf(root, PackSight(root))


def test_a_file_that_changes_once_is_read_again(shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")

    def use(descriptor: int, size: int) -> bytes:
        found = os.pread(descriptor, size, 0)
        if found == b"one":
            file.write_text("two, longer")
        return found

    assert shelf.read(NAME, use) == b"two, longer"


def test_what_is_no_file(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(PathRefused) as refused:
        shelf.read(NAME, lambda _fd, size: size)
    assert refused.value.code == "missing"
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(PathRefused) as refused:
        shelf.read(NAME, lambda _fd, size: size)
    assert refused.value.code == "directory"


def test_a_disk_that_fails_is_told(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")

    def fail(_descriptor: int, _size: int) -> None:
        raise OSError(5, "Input/output error")

    with pytest.raises(StorageFailed, match="input/output error"):
        shelf.read(NAME, fail)


def test_nothing_stays_open(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        shelf.read(NAME, lambda _fd, size: size)
    assert len(os.listdir("/proc/self/fd")) == before
