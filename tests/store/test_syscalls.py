"""System calls by ctypes: they raise as `os` does, and never take a part of a name for it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from custody.store import syscalls


def test_openat2_keeps_below(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        found = syscalls.openat2(folder, b"f", os.O_RDONLY, 0, syscalls.RESOLVE_BENEATH)
        assert not os.get_inheritable(found)
        os.close(found)
        for path, code in (
            (b"../f", errno.EXDEV),
            (b"/etc/passwd", errno.EXDEV),
            (b"none", errno.ENOENT),
            (b"f\0none", errno.EINVAL),
        ):
            with pytest.raises(OSError, match=os.strerror(code)):
                syscalls.openat2(folder, path, os.O_RDONLY, 0, syscalls.RESOLVE_BENEATH)
    finally:
        os.close(folder)


def test_renaming(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(FileExistsError):
            syscalls.rename_exclusively(folder, "a", "b")
        syscalls.rename_exclusively(folder, "a", "c")
        syscalls.exchange(folder, "b", "c")
        with pytest.raises(FileNotFoundError):
            syscalls.exchange(folder, "b", "none")
    finally:
        os.close(folder)
    assert (tmp_path / "b").read_text() == "a"
    assert (tmp_path / "c").read_text() == "b"


def test_renaming_between_two_folders(tmp_path: Path) -> None:
    for name in ("x/a", "y/b"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    one, other = (os.open(tmp_path / name, os.O_RDONLY) for name in ("x", "y"))
    try:
        with pytest.raises(FileExistsError):
            syscalls.move_exclusively(one, "a", other, "b")
        syscalls.exchange_between(one, "a", other, "b")
        assert ((tmp_path / "x/a").read_text(), (tmp_path / "y/b").read_text()) == ("y/b", "x/a")
        syscalls.move_exclusively(one, "a", other, "c")
        assert (tmp_path / "y/c").read_text() == "y/b"
    finally:
        os.close(one)
        os.close(other)


def test_syncfs(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    syscalls.syncfs(folder)
    os.close(folder)
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        syscalls.syncfs(folder)
