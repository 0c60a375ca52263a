"""What a source holds, before anything is copied."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.resolve import own
from custody.store.root import Root
from custody.workspace.source import Group, SourceTree
from support.trees import as_nobody


def listed(top: Path) -> SourceTree:
    with Root.open(str(top), resolver=own) as root:
        return SourceTree(root, {None})


def test_folders_come_before_what_is_in_them(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "b").chmod(0o2750)
    (tmp_path / "a" / "f").touch()
    (tmp_path / "z").symlink_to("nowhere")
    found = listed(tmp_path)
    assert list(found.folders) == ["a", "a/b", "a/b/c"]
    assert found.folders["a/b"] == 0o750, "it hands its group down to nobody"
    assert found.dropped == ["a/b"]
    assert found.links == {"z": "nowhere"}
    assert found.files == [Group("a", ["f"])]
    assert found.omitted == []


def test_depth_and_width_cost_no_descriptors(tmp_path: Path) -> None:
    deep = "/".join("d" * 300)
    for path in (deep, *(f"w{number}/x" for number in range(100))):
        (tmp_path / path).mkdir(parents=True)
    before = len(os.listdir("/proc/self/fd"))
    assert deep in listed(tmp_path).folders
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_folder_that_cannot_be_read_is_told(public: Path) -> None:
    def work() -> None:
        closed = public / "closed"
        closed.mkdir()
        closed.chmod(0)
        with pytest.raises(PathRefused) as caught:
            listed(public)
        closed.chmod(0o755)
        assert (caught.value.code, caught.value.where) == ("unreadable", str(closed))

    as_nobody(work)


@pytest.mark.parametrize(("last", "refused"), [("d" * 95, False), ("d" * 96, True)])
def test_a_path_that_the_kernel_would_not_take_is_refused_at_once(
    tmp_path: Path, last: str, refused: bool
) -> None:
    with ExitStack() as opened:
        at = os.open(tmp_path, os.O_RDONLY)
        opened.callback(os.close, at)
        for name in (*["d" * 249] * 16, last):
            os.mkdir(name, dir_fd=at)
            at = os.open(name, os.O_RDONLY, dir_fd=at)
            opened.callback(os.close, at)
    if not refused:
        assert len(listed(tmp_path).folders) == 17
        return
    with pytest.raises(PathRefused, match="a path of more than 4095 bytes") as caught:
        listed(tmp_path)
    assert caught.value.where == "d" * 249
    assert "exclude" in caught.value.hint
