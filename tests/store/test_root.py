"""A root: nothing leaves it, nothing is half written, every refusal has its code."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.model.relpath import RelPath
from custody.store import files
from custody.store.resolve import own
from custody.store.root import Root, read_file

Case = Callable[[str], dict[str, Any]]
AsUser = Callable[[], AbstractContextManager[None]]


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(PathRefused) as caught:
        yield
    assert caught.value.code == code
    assert caught.value.where


def code_of(case: dict[str, Any]) -> str:
    return str(case["expect"]).partition(":")[2]


def inside(tree: Root) -> Path:
    return Path(tree.path)


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


class TestHostileTrees:
    @pytest.mark.req("I-06")
    def test_fs_001_a_symlinked_directory(self, tree: Root, outside: Path, hostile: Case) -> None:
        (inside(tree) / "d").symlink_to(outside)
        code = code_of(hostile("fs-001"))
        path = RelPath.parse("d/evil")
        with refused(code):
            tree.write(path, b"x")
        with refused(code):
            tree.create(path, b"x")
        with refused(code):
            tree.make_dirs("d/deeper")
        with refused(code):
            tree.read("d/secret")
        with refused(code):
            tree.remove("d/secret")
        with refused(code):
            tree.rename("d/secret", "mine")
        with refused(code):
            tree.names("d")
        assert os.listdir(outside) == ["secret"]

    def test_fs_003_a_loop(self, tree: Root, hostile: Case) -> None:
        (inside(tree) / "a").symlink_to("b")
        (inside(tree) / "b").symlink_to("a")
        with refused(code_of(hostile("fs-003"))):
            tree.read("a")

    def test_fs_004_a_magic_link(self, tree: Root, hostile: Case) -> None:
        (inside(tree) / "r").symlink_to("/proc/self/root")
        with refused(code_of(hostile("fs-004"))):
            tree.read("r/etc/passwd")

    def test_a_magic_link_of_procfs_itself(self) -> None:
        with Root.open("/proc/self") as process, refused("symlink"):
            process.read("root/etc/passwd")

    def test_fs_005_a_link_at_the_end(self, tree: Root, outside: Path, hostile: Case) -> None:
        (inside(tree) / "scripts").mkdir()
        (inside(tree) / "scripts" / "x.tcl").symlink_to(outside / "secret")
        code = code_of(hostile("fs-005"))
        with refused(code):
            tree.read("scripts/x.tcl")
        with refused(code):
            tree.digest("scripts/x.tcl")
        with refused(code):
            tree.write("scripts/x.tcl", b"x")
        with refused(code):
            tree.change_mode("scripts/x.tcl", 0o777)
        assert (outside / "secret").read_text() == "secret"

    def test_fs_006_past_path_max(self, tree: Root, outside: Path, hostile: Case) -> None:
        case = hostile("fs-006")
        path = case["input"]["write"]
        build_past_path_max(tree.fd, path, outside)
        with refused(code_of(case)):
            tree.write(RelPath.parse(path), b"x")
        assert os.listdir(outside) == ["secret"]

    def test_fs_006_fools_a_check_by_realpath(
        self, tmp_path: Path, outside: Path, hostile: Case
    ) -> None:
        path = hostile("fs-006")["input"]["write"]
        folder = tmp_path / "ws"
        folder.mkdir()
        with Root.open(str(folder)) as tree:
            build_past_path_max(tree.fd, path, outside)
        target = f"{folder}/{path}"
        assert os.path.realpath(target).startswith(f"{os.path.realpath(folder)}/")
        Path(target).write_bytes(b"x")
        assert (outside / "pwned").exists()

    def test_fs_008_a_second_name(self, tree: Root, outside: Path, hostile: Case) -> None:
        os.link(outside / "secret", inside(tree) / "h")
        code = code_of(hostile("fs-008"))
        with refused(code):
            tree.write("h", b"x")
        with refused(code):
            tree.read("h")
        with refused(code):
            tree.digest("h")
        with refused(code):
            tree.change_mode("h", 0o777)
        assert (outside / "secret").read_text() == "secret"

    @pytest.mark.parametrize("name", ["zero", "null"])
    def test_fs_010_a_device(self, name: str, hostile: Case) -> None:
        with Root.open("/dev", resolver=own) as devices, refused(code_of(hostile("fs-010"))):
            devices.read(name)

    def test_pipes_and_sockets_do_not_hang(self, tree: Root) -> None:
        os.mkfifo(inside(tree) / "pipe")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{tree.fd}/socket")
            for name in ("pipe", "socket"):
                with refused("not_regular"):
                    tree.read(name)
                with refused("not_regular"):
                    tree.write(name, b"x")

    def test_a_directory_is_no_file(self, tree: Root) -> None:
        tree.make_dirs("d")
        with refused("not_regular"):
            tree.read("d")
        with refused("not_regular"):
            tree.write("d", b"x")

    def test_fs_011_a_sparse_file(self, tree: Root, hostile: Case) -> None:
        with (inside(tree) / "sparse").open("wb") as file:
            file.truncate(1 << 40)
        for look in (tree.read, tree.digest):
            with refused(code_of(hostile("fs-011"))):
                look("sparse")

    def test_fs_013_a_closed_directory(
        self, tree: Root, hostile: Case, ordinary_user: AsUser
    ) -> None:
        tree.write("d/x", b"x")
        tree.write("f", b"x", mode=0o000)
        inside(tree).chmod(0o777)
        (inside(tree) / "d").chmod(0o000)
        code = code_of(hostile("fs-013"))
        try:
            with ordinary_user():
                with refused(code):
                    tree.read("d/x")
                with refused(code):
                    tree.read("f")
                with refused(code):
                    tree.names("d")
                with pytest.raises(StorageFailed) as failed:
                    tree.write("d/y", b"y")
                assert failed.value.where.endswith("/ws/d/y")
                assert failed.value.hint
        finally:
            (inside(tree) / "d").chmod(0o755)

    @pytest.mark.parametrize("look", ["read", "digest"])
    def test_fs_016_a_file_that_grows(self, tree: Root, look: str, hostile: Case) -> None:
        tree.write("x", bytes(32 << 20))
        done = threading.Event()

        def grow() -> None:
            with (inside(tree) / "x").open("ab", buffering=0) as file:
                while not done.is_set():
                    file.write(b"x")

        writer = threading.Thread(target=grow)
        writer.start()
        try:
            with refused(code_of(hostile("fs-016"))):
                for _ in range(500):  # a look during which nobody wrote is a good one
                    getattr(tree, look)("x")
        finally:
            done.set()
            writer.join()

    def test_a_file_that_shrinks(self, tree: Root) -> None:
        tree.write("x", bytes(1 << 20))
        fd = tree.open_fd("x", files.READ)
        try:
            pieces = files.chunks(fd, 1 << 30)
            next(pieces)
            os.truncate(f"{tree.path}/x", 10)
            with pytest.raises(PathRefused) as caught:
                list(pieces)
        finally:
            os.close(fd)
        assert caught.value.code == "changed_during_read"

    def test_a_file_that_is_replaced_meanwhile_is_read_again(self, tree: Root) -> None:
        done = threading.Event()

        def replace() -> None:
            number = 0
            while not done.is_set():
                number += 1
                tree.write("x", b"%d" % number * 100_000)

        tree.write("x", b"0" * 100_000)
        writer = threading.Thread(target=replace)
        writer.start()
        try:
            for _ in range(300):
                data = tree.read("x")
                assert data == data[: len(data) // 100_000] * 100_000
        finally:
            done.set()
            writer.join()

    def test_no_refusal_leaks_a_descriptor(self, tree: Root, outside: Path) -> None:
        (inside(tree) / "d").symlink_to(outside)
        tree.write("a/b/c/f", b"x")
        (inside(tree) / "a/b/link").symlink_to("c")
        before = descriptors()
        for path in ("d/evil", "a/b/link/f", "a/b/c/f/g", "a/b/c"):
            with pytest.raises(PathRefused):
                tree.write(path, b"x", parents=False)
            with pytest.raises(PathRefused):
                tree.read(path)
            with pytest.raises(PathRefused):
                tree.make_dirs(f"{path}/f/x" if path == "a/b/c" else path)
        assert descriptors() == before


class TestNames:
    @pytest.mark.parametrize(
        "name", ["", "/", "/etc", ".", "..", "a/..", "../a", "a//b", "a/", "a/./b", "a\0b"]
    )
    def test_a_text_that_is_no_name_is_refused(self, tree: Root, name: str) -> None:
        for act in (tree.read, tree.make_dirs, tree.remove, tree.stat):
            with pytest.raises(PathRefused) as caught:
                act(name)
            assert caught.value.code == "noncanonical"

    def test_names_that_only_the_file_system_admits(self, tree: Root) -> None:
        for name in ("a b ", "-rf", "x\ny", "\udcff", "...", ".git", "con"):
            tree.write(name, name.encode(errors="surrogateescape"))
            assert tree.read(name) == name.encode(errors="surrogateescape")
        assert "\udcff" in tree.names()

    @pytest.mark.parametrize(
        ("path", "code"),
        [
            ("SRC/main.py", "case_collision"),
            ("src/Main.py", "case_collision"),
            ("src/main.py", ""),
            ("src/new.py", ""),
            ("new/main.py", ""),
            ("Stra\u00dfe", "case_collision"),
            ("src/main.py/x", ""),
        ],
    )
    def test_path_058_names_that_differ_by_case(self, tree: Root, path: str, code: str) -> None:
        tree.write("src/main.py", b"")
        tree.write("STRASSE", b"")
        if code:
            with refused(code):
                tree.refuse_case_collision(RelPath.parse(path))
        else:
            tree.refuse_case_collision(RelPath.parse(path))

    def test_path_058_is_the_case_of_the_corpus(self, tree: Root, hostile: Case) -> None:
        case = hostile("path-058")
        tree.write("src/main.py", b"")
        with refused(code_of(case)):
            tree.refuse_case_collision(RelPath.parse(case["input"]))


class TestExists:
    def test_what_is_missing_anywhere_on_the_way_is_not_there(self, tree: Root) -> None:
        tree.write("folder/file", b"")
        tree.write_link("link", "nowhere")
        there = ("folder", "folder/file", "link")
        gone = ("other", "folder/other", "other/file", "folder/file/below")
        assert [tree.exists(path) for path in (*there, *gone)] == [True] * 3 + [False] * 4

    def test_what_stands_in_the_way_is_refused(self, tree: Root) -> None:
        tree.make_dirs("folder")
        tree.write_link("link", "folder")
        with refused("symlink"):
            tree.exists("link/file")


class TestOpening:
    def test_what_is_no_directory(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for name in ("nothing", "file"):
            with pytest.raises(PathRefused) as caught:
                Root.open(str(tmp_path / name))
            assert caught.value.code == "missing"

    def test_a_file_that_the_user_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"x" * 300_000)
        (tmp_path / "link").symlink_to("file")
        assert read_file(str(tmp_path / "link")) == b"x" * 300_000
        for name, limit in (("file", 10), ("nothing", 10), (".", 10)):
            with pytest.raises(StorageFailed):
                read_file(str(tmp_path / name), limit=limit)


def build_past_path_max(base: int, path: str, outside: Path) -> None:
    """Make directories whose real path is longer than PATH_MAX behind a short path of links."""
    *steps, link, _ = path.split("/")
    folder = os.dup(base)
    for depth, step in enumerate(steps):
        long_name = f"{depth:02d}".ljust(247, "d")
        os.mkdir(long_name, dir_fd=folder)
        os.symlink(long_name, step, dir_fd=folder)
        following = os.open(long_name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = following
    os.symlink(f"{'../' * (len(steps) + 1)}{outside.name}", link, dir_fd=folder)
    os.close(folder)


def test_a_device_that_the_user_names_is_not_read() -> None:
    with pytest.raises(StorageFailed, match="it is a device"):
        read_file("/dev/null")


def test_a_pipe_of_which_nothing_comes_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        with pytest.raises(StorageFailed, match="nothing comes of it"):
            read_file(str(tmp_path / "pipe"))
    finally:
        os.close(writer)


def test_a_link_is_looked_at_and_touched_itself(tree: Root) -> None:
    (inside(tree) / "target").write_text("x")
    os.utime(inside(tree) / "target", ns=(1, 1))
    for name in ("target", "nothing"):
        (inside(tree) / f"to_{name}").symlink_to(name)
        assert stat.S_ISLNK(tree.stat(f"to_{name}").st_mode)
        tree.touch(f"to_{name}")
        assert tree.stat(f"to_{name}").st_mtime_ns > 1
    assert (inside(tree) / "target").stat().st_mtime_ns == 1
