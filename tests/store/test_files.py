"""Files come to be whole or not at all, and go with everything below them."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.model.relpath import RelPath
from custody.store.root import Root

AsUser = Callable[[], AbstractContextManager[None]]


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(PathRefused) as caught:
        yield
    assert caught.value.code == code
    assert caught.value.where


def inside(tree: Root) -> Path:
    return Path(tree.path)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestWriting:
    def test_makes_parents_and_replaces(self, tree: Root) -> None:
        path = RelPath.parse("a/b/c.txt")
        tree.write(path, b"one")
        tree.write(path, b"two", sync=True)
        assert tree.read(path) == b"two"
        assert tree.names("a/b") == ["c.txt"]

    def test_again_and_again(self, tree: Root) -> None:
        for number in range(60):
            tree.write("view.json", b"%d" % number)
            assert tree.read("view.json") == b"%d" % number
        assert tree.names() == ["view.json"]

    def test_without_parents(self, tree: Root) -> None:
        with refused("missing"):
            tree.write("a/b", b"", parents=False)
        tree.write("a", b"")
        with refused("not_directory"):
            tree.write("a/b", b"")

    def test_a_new_inode_each_time(self, tree: Root) -> None:
        tree.write("f", b"one")
        with (inside(tree) / "f").open("rb") as old:
            tree.write("f", b"two")
            assert old.read() == b"one"

    @pytest.mark.parametrize("how", ["write", "create"])
    def test_modes(self, tree: Root, how: str) -> None:
        before = os.umask(0o077)
        try:
            getattr(tree, how)("usual", b"")
            getattr(tree, how)("exact", b"", mode=0o755)
        finally:
            os.umask(before)
        assert stat.S_IMODE(tree.stat("usual").st_mode) == 0o600
        assert stat.S_IMODE(tree.stat("exact").st_mode) == 0o755

    def test_create_is_once(self, tree: Root) -> None:
        tree.create("a/once", b"first")
        with refused("exists"):
            tree.create("a/once", b"second")
        (inside(tree) / "link").symlink_to("nowhere")
        with refused("exists"):
            tree.create("link", b"x")
        assert tree.read("a/once") == b"first"
        assert tree.names("a") == ["once"]

    def test_touching_changes_the_time_alone(self, tree: Root) -> None:
        tree.write("f", b"same")
        os.utime(inside(tree) / "f", (0, 0))
        tree.touch("f")
        assert tree.stat("f").st_mtime > 0
        assert tree.read("f") == b"same"
        with refused("missing"):
            tree.touch("g")

    def test_a_full_disk_leaves_what_was_there(self, tree: Root) -> None:
        tree.write("f", b"old")
        for act in (tree.write, tree.create):
            with file_size_limit(100), pytest.raises(StorageFailed) as failed:
                act("f" if act == tree.write else "new", b"x" * 1000)
            assert failed.value.hint
        assert tree.read("f") == b"old"
        assert tree.names() == ["f"]

    def test_links_and_modes_and_removal(self, tree: Root) -> None:
        tree.write_link("d/link", "../anywhere")
        tree.write_link("d/link", "elsewhere")
        assert os.readlink(f"{tree.path}/d/link") == "elsewhere"
        tree.write("d/f", b"")
        tree.change_mode("d/f", 0o700)
        tree.change_mode("d", 0o711)
        assert stat.S_IMODE(tree.stat("d/f").st_mode) == 0o700
        assert stat.S_IMODE(tree.stat("d").st_mode) == 0o711
        with refused("not_empty"):
            tree.remove("d")
        tree.rename("d/f", "e/g")
        tree.remove("d/link")
        tree.remove("d")
        assert tree.names() == ["e"]
        with refused("missing"):
            tree.remove("d")

    def test_exists(self, tree: Root) -> None:
        tree.write("f", b"")
        tree.write_link("l", "nowhere")
        assert tree.exists("f")
        assert tree.exists("l")
        assert not tree.exists("g")
        assert not tree.exists("g/h")
        assert not tree.exists("f/h")

    def test_a_root_below(self, tree: Root) -> None:
        tree.write("a/b/f", b"x")
        with tree.sub("a/b") as below:
            assert below.names() == ["f"]
            assert below.path == f"{tree.path}/a/b"
        below.close()


class TestRemovingTrees:
    def test_however_deep(self, tree: Root) -> None:
        folder = os.dup(tree.fd)
        for _ in range(1200):
            os.mkdir("d", dir_fd=folder)
            following = os.open("d", os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = following
        os.close(folder)
        tree.remove_tree("d")
        assert tree.names() == []

    def test_whatever_its_modes(self, tree: Root, ordinary_user: AsUser) -> None:
        inside(tree).chmod(0o777)
        with ordinary_user():
            for path in ("t/a/b/f", "t/c/f", "t/f"):
                tree.write(path, b"x")
            for path in ("t/a/b", "t/a", "t/c", "t"):
                tree.change_mode(path, 0o000)
            tree.remove_tree("t")
        assert tree.names() == []

    def test_links_are_removed_and_not_followed(self, tree: Root, outside: Path) -> None:
        tree.make_dirs("t/a")
        (inside(tree) / "t/a/link").symlink_to(outside)
        tree.write_link("l", str(outside))
        tree.remove_tree("t")
        tree.remove_tree("l")
        assert tree.names() == []
        assert os.listdir(outside) == ["secret"]
