"""How an overlay says that something below is not to be seen, as the kernel reads and writes it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.workspace.overlay import marks


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    """Return an open folder."""
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def marked(folder: int, **values: bytes) -> dict[str, str]:
    for name, value in values.items():
        os.setxattr(folder, f"user.overlay.{name}", value)
    return marks.of(folder)


def test_marks_that_matter_are_told_by_their_short_names(folder: int) -> None:
    os.setxattr(folder, "user.note", b"mine")
    found = marked(folder, opaque=b"y", whiteout=b"y", redirect=b"/x", metacopy=b"", origin=b"o")
    assert found == {
        name: f"user.overlay.{name}" for name in ("opaque", "whiteout", "redirect", "metacopy")
    }
    assert set(marks.attributes(folder)) == {
        "user.note", "user.overlay.origin", *found.values(),
    }  # fmt: skip


def test_how_opaque_a_folder_is(folder: int) -> None:
    assert marks.opaqueness(folder, marks.of(folder)) == b""
    for value in (marks.OPAQUE, marks.HOLDS_WHITEOUTS):
        assert marks.opaqueness(folder, marked(folder, opaque=value)) == value


def test_a_file_system_without_attributes_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> list[str]:
        raise OSError(number, "injected")

    monkeypatch.setattr(os, "listxattr", refuse)
    number = errno.EOPNOTSUPP
    assert marks.attributes(0) == []
    number = errno.EIO
    with pytest.raises(OSError) as failed:
        marks.attributes(0)
    assert failed.value.errno == errno.EIO


def test_a_whiteout_by_attribute(folder: int, tmp_path: Path) -> None:
    marks.make_whiteout(folder, "gone", "attribute")
    assert (tmp_path / "gone").read_bytes() == b""
    assert os.getxattr(tmp_path / "gone", "user.overlay.whiteout") == b"y"
    assert marks.opaqueness(folder, marks.of(folder)) == marks.HOLDS_WHITEOUTS
    assert not marks.is_device_whiteout((tmp_path / "gone").stat())
    with pytest.raises(FileExistsError):
        marks.make_whiteout(folder, "gone", "attribute")


def test_whoever_may_make_no_device_hides_by_attribute(
    folder: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "injected")

    monkeypatch.setattr(os, "mknod", refuse)
    marks.make_whiteout(folder, "gone")
    assert os.getxattr(tmp_path / "gone", "user.overlay.whiteout") == b"y"
    with pytest.raises(PermissionError):
        marks.make_whiteout(folder, "other", "device")
    assert os.listdir(tmp_path) == ["gone"]


def test_a_disk_that_fails_is_not_taken_for_missing_rights(
    folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "injected")

    monkeypatch.setattr(os, "mknod", fail)
    with pytest.raises(OSError) as failed:
        marks.make_whiteout(folder, "gone")
    assert failed.value.errno == errno.ENOSPC


if os.geteuid() == 0:

    def test_a_whiteout_by_device(folder: int, tmp_path: Path) -> None:
        marks.make_whiteout(folder, "gone")
        state = (tmp_path / "gone").stat()
        assert marks.is_device_whiteout(state)
        assert marks.of(folder) == {}
        os.mknod(tmp_path / "null", stat.S_IFCHR, os.makedev(1, 3))
        assert not marks.is_device_whiteout((tmp_path / "null").stat())
