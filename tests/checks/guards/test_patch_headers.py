"""The headers of a patch that cannot be read."""

from __future__ import annotations

import pytest

from custody.checks.guards.patch_headers import HeaderLine, headers

FILE = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (FILE, [b"a"]),
        (b"diff --git a/a b/b\nrename from a\nrename to b\n", [b"a", b"b"]),
        (b'diff --git "a/\\141" b/b\n', [b"a", b"b"]),
        (b"--- a/a\t2026-01-01\n+++ /dev/null\n", [b"a"]),
        (b'--- "a/a\n+++ \n', []),
    ],
)
def test_paths(data: bytes, expected: list[bytes]) -> None:
    assert [header.path for header in headers(data) if not header.code] == expected


def test_what_a_copy_is_made_of() -> None:
    found = list(headers(b"copy from a\ncopy to b\n"))
    assert found == [HeaderLine(b"a", source=True), HeaderLine(b"b")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"new file mode 160000\n", "gitlink"),
        (b"index 1..2 120000\n", "symlink"),
        (b"old mode 104755\n", "mode"),
        (b"diff --git docs/a docs/a\n", "prefix"),
        (b"+++ docs/a\n", "prefix"),
        (FILE * 2, "duplicate"),
        (b'diff --git "a/a\\000b" "b/a\\000b"\n', "control"),
        (b'rename to "a\\tb\\000"\n', "control"),
        (b"+++ b/a\0b\n", "control"),
        (b"copy from a\x1b[2J\n", "control"),
    ],
)
def test_what_is_wrong_by_itself(data: bytes, code: str) -> None:
    assert [header.code for header in headers(data) if header.code] == [code]


def test_ordinary_modes_are_none_of_it() -> None:
    assert list(headers(b"new file mode 100644\nold mode 100755\nindex 1..2 100644\n")) == []
