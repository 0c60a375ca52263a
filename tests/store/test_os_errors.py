"""An error of the system is a refusal with a code, or a disk that failed with a hint."""

from __future__ import annotations

import errno
import os

import pytest

from custody.errors import PathRefused, StorageFailed
from custody.store.os_errors import failure, still_there


@pytest.mark.parametrize(
    ("number", "writing", "reading"),
    [
        (errno.ELOOP, "symlink", "symlink"),
        (errno.EXDEV, "xdev", "xdev"),
        (errno.EBUSY, "xdev", "xdev"),
        (errno.ENOENT, "missing", "missing"),
        (errno.ENOTDIR, "not_directory", "missing"),
        (errno.EISDIR, "not_regular", "not_regular"),
        (errno.ENXIO, "not_regular", "not_regular"),
        (errno.EEXIST, "exists", "exists"),
        (errno.ENOTEMPTY, "not_empty", "not_empty"),
        (errno.ENAMETOOLONG, "too_long", "too_long"),
        (errno.EACCES, "", "unreadable"),
        (errno.EPERM, "", "unreadable"),
        (errno.ENOSPC, "", ""),
        (errno.EIO, "", ""),
    ],
)
def test_what_a_number_means(number: int, writing: str, reading: str) -> None:
    error = OSError(number, os.strerror(number))
    for code, told in (
        (writing, failure(error, "a/b")),
        (reading, failure(error, "a/b", reading=True)),
    ):
        assert isinstance(told, PathRefused if code else StorageFailed)
        assert getattr(told, "code", "") == code
        assert told.where == "a/b"


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.ENOSPC, "custody resume"),
        (errno.EDQUOT, "quota"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "owner"),
        (errno.EIO, "kernel"),
        (errno.EMFILE, "ulimit"),
    ],
)
def test_a_disk_that_failed_is_told_with_what_can_be_done(number: int, word: str) -> None:
    told = failure(OSError(number, "x"), "a")
    assert told.what == os.strerror(number).lower()
    assert word in told.hint


def test_an_error_without_a_number_keeps_its_words() -> None:
    told = failure(OSError("half a write"), "a")
    assert isinstance(told, StorageFailed)
    assert (told.what, told.hint) == ("half a write", "")


def test_what_is_gone_is_left_alone() -> None:
    for error in (
        FileNotFoundError(errno.ENOENT, "gone"),
        PermissionError(errno.EACCES, "closed"),
        PathRefused("symlink", "a symlink stands in the way"),
    ):
        with still_there("a/b"):
            raise error
    with pytest.raises(StorageFailed), still_there("a/b"):
        raise OSError(errno.EIO, "broken")
