"""What stands at a path is told without following anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from custody.errors import PathRefused
from custody.model.change import Entry
from custody.store.root import Root
from custody.workspace.takeover.look import below, look, same


def test_every_kind(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir(mode=0o755)
    (tmp_path / "f").write_text("x")
    (tmp_path / "f").chmod(0o4755)
    (tmp_path / "l").symlink_to("f")
    os.mkfifo(tmp_path / "p")
    with Root.open(str(tmp_path)) as root:
        found = {name: look(root, name) for name in ("d", "f", "l", "p", "none", "f/below")}
    assert {name: entry and entry.kind for name, entry in found.items()} == {
        "d": "dir", "f": "file", "l": "symlink", "p": "other", "none": None, "f/below": None,
    }  # fmt: skip
    assert found["f"] is not None
    assert (found["f"].mode, found["f"].bytes) == (0o755, 1)


def test_a_file_may_have_two_names(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    os.link(tmp_path / "f", tmp_path / "g")
    with Root.open(str(tmp_path)) as root:
        assert same(look(root, "f"), look(root, "g"))


def test_a_symlink_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to("/etc")
    with Root.open(str(tmp_path)) as root, pytest.raises(PathRefused, match="symlink"):
        look(root, "l/passwd")


def test_what_is_the_same() -> None:
    link = Entry(path="a", kind="symlink", mode=0o777, sha256="1", target="x")
    other = Entry(path="b", kind="symlink", mode=0o755, sha256="1", target="x")
    file = Entry(path="a", kind="file", mode=0o644, sha256="1")
    assert same(link, other)
    assert same(None, None)
    assert not same(link, file)
    assert not same(None, file)
    assert same(Entry(path="a", kind="file", mode=0o4644, sha256="1"), file)


def test_everything_below_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_text("")
    (tmp_path / "a" / "l").symlink_to("b")
    with Root.open(str(tmp_path)) as root:
        assert sorted(below(root, "a")) == ["a/b", "a/b/c", "a/l"]
