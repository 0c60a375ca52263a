"""A copied tree is the same to look at, and another one to write to."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from custody.store.root import Root
from custody.store.tree_copy import copy_tree
from support.trees import picture


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a tree with one of each kind."""
    top = tmp_path / "source"
    (top / "folder" / "closed").mkdir(parents=True)
    (top / "folder" / "closed" / "file").write_bytes(b"deep")
    (top / "folder" / "closed").chmod(0o500)
    (top / "program").write_bytes(b"#!/bin/sh\n")
    (top / "program").chmod(0o755)
    os.link(top / "program", top / "twin")
    (top / "large").write_bytes(b"large" * 300_000)
    (top / "empty").touch()
    (top / "way out").symlink_to("/etc/passwd")
    return top


def copied(source: Path) -> Path:
    target = source.parent / "target"
    target.mkdir()
    with Root.open(str(source)) as one, Root.open(str(target)) as other:
        copy_tree(one, other)
    return target


def test_a_copy_looks_the_same(source: Path) -> None:
    target = copied(source)
    assert picture(target) == picture(source)
    assert (target / "large").stat().st_mtime_ns == (source / "large").stat().st_mtime_ns


@pytest.mark.req("G-02")
def test_whoever_writes_to_the_copy_writes_to_no_other_file(source: Path) -> None:
    before = picture(source)
    target = copied(source)
    for name in ("program", "twin", "large"):
        assert (target / name).stat().st_nlink == 1
        with (target / name).open("r+b") as file:
            file.write(b"spoilt")
    assert picture(source) == before


@pytest.mark.req("G-03")
def test_a_copy_has_no_rights_of_anybody_else(source: Path) -> None:
    (source / "program").chmod(0o6755)
    (source / "folder").chmod(0o2775)
    target = copied(source)
    assert stat.S_IMODE((target / "program").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "folder").stat().st_mode) == 0o775


def test_what_holds_nothing_is_left_out(source: Path) -> None:
    os.mkfifo(source / "pipe")
    assert "pipe" not in picture(copied(source))


def test_a_file_system_that_cannot_copy_by_itself(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> int:
        raise OSError(18, "crosses devices")

    monkeypatch.setattr(os, "copy_file_range", refuse)
    assert picture(copied(source)) == picture(source)
