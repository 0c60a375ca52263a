"""The ways to open a name below a directory agree with each other."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.store import syscalls
from custody.store.resolve import DIRECTORY, Resolver, beneath, own, walk


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/f").write_text("x")
    (tmp_path / "a/link").symlink_to("b")
    (tmp_path / "a/b/up").symlink_to("../..")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


@pytest.fixture(params=["openat2", "without", "walk", "own"])
def resolver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Resolver:
    if request.param == "without":
        monkeypatch.setattr(syscalls, "has_openat2", lambda: False)
    return {"openat2": beneath, "without": beneath, "walk": walk, "own": own}[request.param]


@pytest.mark.parametrize(
    ("path", "flags", "code"),
    [
        ("a/b/f", os.O_RDONLY, 0),
        ("a/b", DIRECTORY, 0),
        ("a/b/new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0),
        ("a/b/f", os.O_WRONLY | os.O_CREAT | os.O_EXCL, errno.EEXIST),
        ("a/b/f", DIRECTORY, errno.ENOTDIR),
        ("a/b/f/g", os.O_RDONLY, errno.ENOTDIR),
        ("a/none", os.O_RDONLY, errno.ENOENT),
        ("none/b", os.O_RDONLY, errno.ENOENT),
        ("a/link", os.O_RDONLY, errno.ELOOP),
        ("a/link", DIRECTORY, errno.ELOOP),
        ("a/link/f", os.O_RDONLY, errno.ELOOP),
        ("a/b/up/a", DIRECTORY, errno.ELOOP),
    ],
)
def test_they_agree(folder: int, resolver: Resolver, path: str, flags: int, code: int) -> None:
    before = os.listdir("/proc/self/fd")
    if code:
        with pytest.raises(OSError, match=re.escape(os.strerror(code))):
            resolver(folder, path, flags, 0o644)
    else:
        found = resolver(folder, path, flags, 0o644)
        assert not os.get_inheritable(found)
        os.close(found)
    assert os.listdir("/proc/self/fd") == before


def test_a_mount_point_is_met(resolver: Resolver) -> None:
    descriptor = os.open("/", os.O_RDONLY)
    try:
        if resolver is own:
            os.close(resolver(descriptor, "proc/self", os.O_PATH | os.O_NOFOLLOW, 0))
            return
        with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
            resolver(descriptor, "proc/version", os.O_RDONLY, 0)
    finally:
        os.close(descriptor)


@pytest.mark.skipif(not syscalls.has_openat2(), reason="the kernel has no openat2")
@pytest.mark.parametrize("path", ["..", "a/../..", "/"])
def test_the_kernel_refuses_a_name_that_climbs(folder: int, path: str) -> None:
    with pytest.raises(OSError, match=re.escape(os.strerror(errno.EXDEV))):
        beneath(folder, path, DIRECTORY, 0)
