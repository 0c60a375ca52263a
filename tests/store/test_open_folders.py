from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.store.open_folders import OpenFolders
from custody.store.root import Root


def test_folders_are_found_and_opened_once(tree: Root) -> None:
    tree.write("a/b/c/file", b"x")
    with closing(OpenFolders(tree)) as folders:
        assert folders.get("") is tree
        inner = folders.get("a/b/c")
        assert os.listdir(inner.fd) == ["file"]
        assert folders.get("a/b/c") is inner
        assert inner.path == f"{tree.path}/a/b/c"


def test_however_many_are_asked_for_few_stay_open(tree: Root) -> None:
    names = [f"d{number}/e" for number in range(60)]
    for name in names:
        tree.make_dirs(name)
    before = len(os.listdir("/proc/self/fd"))
    with closing(OpenFolders(tree)) as folders:
        for name in names + names:
            assert os.listdir(folders.get(name).fd) == []
        assert len(os.listdir("/proc/self/fd")) < before + 20
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_link_leads_nowhere(tree: Root, outside: Path) -> None:
    tree.make_dirs("a")
    os.symlink(outside, f"{tree.path}/a/link")
    os.symlink(outside, f"{tree.path}/top")
    with closing(OpenFolders(tree)) as folders:
        folders.get("a")
        for name in ("a/link", "top", "top/x"):
            with pytest.raises(PathRefused) as caught:
                folders.get(name)
            assert caught.value.code == "symlink"
