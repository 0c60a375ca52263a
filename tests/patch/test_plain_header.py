"""Headers of other diffs, and the dates by which they say that there is no file."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument
from custody.patch import REGULAR, FileChange
from custody.patch.cursor import PatchCursor
from custody.patch.plain_header import read_plain_header


def read(old: str, new: str, hunk: str = "@@ -1 +1 @@") -> FileChange:
    return read_plain_header(PatchCursor(f"--- {old}\n+++ {new}\n{hunk}\n".encode(), ""))


@pytest.mark.parametrize(
    ("stamp", "kind"),
    [
        ("1970-01-01 00:00:00.000000000 +0000", "add"),
        ("1970-01-01 05:30:00 +05:30", "add"),
        ("1969-12-31 16:00:00 -0800", "add"),
        ("1970-01-01 00:00:00", "modify"),
        ("1970-01-01 00:00:00 +0100", "modify"),
        ("1969-12-31 00:00:00 +0000", "modify"),
        ("1970-01-01 00:00:01 +0000", "modify"),
        ("24-05-06", "modify"),
        ("", "modify"),
    ],
)
def test_the_beginning_of_time_is_no_file(stamp: str, kind: str) -> None:
    change = read(f"a/x\t{stamp}", "b/x\t2024-05-06 07:08:09")
    assert (change.kind, change.new_path) == (kind, b"x")
    assert change.new_mode == (REGULAR if kind == "add" else None)


def test_a_file_that_goes() -> None:
    change = read("a/x", "/dev/null\t1970-01-01 00:00:00 +0000")
    assert (change.kind, change.old_path, change.new_path) == ("delete", b"x", None)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("/dev/null", "/dev/null", "names no file"),
        ("a/x", "b/y", "x and y are two files"),
        ("a/x y", "b/x y", "TAB"),
        ("a/x\tyesterday", "b/x", "a date"),
        ("a/x\t\t2024-05-06", "b/x", "a date"),
        ("/x", "/x", "a/ or b/"),
    ],
)
def test_what_git_would_guess_about(old: str, new: str, reason: str) -> None:
    with pytest.raises(MalformedDocument, match=reason):
        read(old, new)


def test_a_header_has_a_hunk() -> None:
    with pytest.raises(MalformedDocument, match="line 3: 'x' is not the hunk of a file"):
        read("a/x", "b/x", "x")
