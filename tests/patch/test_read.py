"""What a patch says, record by record, and where it is wrong."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, FileChange, Hunk
from custody.patch.binary import write_binary
from custody.patch.read import read_patch

PATCH = b"""diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,4 @@
 one
-two
+zwei
+drei
 three
\\ No newline at end of file
diff --git "a/b\\tc" b/d
old mode 100644
new mode 100755
similarity index 90%
rename from "b\\tc"
rename to d
--- "a/b\\tc"
+++ b/d
@@ -5,0 +6 @@
+x
diff --git a/l b/l
new file mode 120000
--- /dev/null
+++ b/l
@@ -0,0 +1 @@
+a.txt
\\ No newline at end of file
--- a/plain x\t2024-01-02
+++ b/plain x\t2024-01-02
@@ -1 +1 @@
-\x0c\r\x85
+\xe2\x80\xa8
diff --git a/e b/e
deleted file mode 100644
diff --git a/a.txt b/copy
copy from a.txt
copy to copy
diff --git a/m b/m
old mode 100755
new mode 100644
"""


@pytest.mark.req("G-04")
def test_everything_that_a_patch_says() -> None:
    first, second, link, plain, gone, copy, mode = read_patch(PATCH)
    assert first == FileChange(
        number=1,
        kind="modify",
        old_path=b"a.txt",
        new_path=b"a.txt",
        old_mode=REGULAR,
        new_mode=REGULAR,
        hunks=(Hunk(5, 0, (b" one\n", b"-two\n", b"+zwei\n", b"+drei\n", b" three")),),
    )
    assert (first.hunks[0].before, first.hunks[0].after) == (
        [b"one\n", b"two\n", b"three"],
        [b"one\n", b"zwei\n", b"drei\n", b"three"],
    )
    assert (first.hunks[0].closes, first.paths) == (False, (b"a.txt",))
    assert (second.kind, second.old_path, second.new_path) == ("rename", b"b\tc", b"d")
    assert (second.old_mode, second.new_mode, second.removes) == (REGULAR, EXECUTABLE, b"b\tc")
    assert (second.hunks[0].start, second.hunks[0].closes) == (5, True)
    assert second.paths == (b"b\tc", b"d")
    assert (link.kind, link.old_mode, link.new_mode, link.old_path) == ("add", None, SYMLINK, None)
    assert link.hunks[0].after == [b"a.txt"]
    assert (gone.kind, gone.old_mode, gone.new_path, gone.removes) == (
        "delete",
        REGULAR,
        None,
        b"e",
    )
    assert (copy.kind, copy.paths, copy.removes) == ("copy", (b"a.txt", b"copy"), None)
    assert (mode.kind, mode.old_mode, mode.new_mode) == ("modify", EXECUTABLE, REGULAR)
    assert (plain.new_path, plain.hunks[0].before) == (b"plain x", [b"\x0c\r\x85\n"])


@pytest.mark.parametrize(
    ("place", "with_", "line"),
    [
        (b"index 1..2", b"index 1.2", 2),
        (b"+++ b/a.txt", b"+++ b/b.txt", 1),
        (b"+++ b/a.txt", b"+++ a.txt", 4),
        (b"@@ -1,3 +1,4 @@", b"@@ -1,3 +1,4", 5),
        (b"@@ -1,3 +1,4 @@", b"@@ -1,3 +1,3 @@", 10),
        (b"@@ -1,3 +1,4 @@", b"@@ -1,3 +1,5 @@", 11),
        (b" one", b"one", 6),
        (b"old mode 100644\nnew", b"old mode 100666\nnew", 13),
        (b"similarity index 90%", b"similarity index 190%", 15),
        (b"rename to d", b"rename to \x07", 17),
        (b"rename to d", b"rename to c", 12),
        (b"diff --git a/e b/e", b"diff --git a/e b/f", 34),
        (b"+++ b/plain x", b"--- b/plain x", 30),
        (b"diff --git a/m b/m", b"diff --git a/a.txt b/a.txt", 39),
    ],
)
def test_what_is_wrong_is_told_with_its_line(place: bytes, with_: bytes, line: int) -> None:
    assert PATCH.count(place) >= 1
    with pytest.raises(MalformedDocument, match=rf"^answer\.md: line {line}: ") as caught:
        read_patch(PATCH.replace(place, with_, 1), where="answer.md")
    assert caught.value.code == "patch"


@given(st.binary(max_size=200) | st.text(alphabet=" +-@\\a0,1/b\n\t", max_size=200).map(str.encode))
def test_anything_is_read_or_refused(text: bytes) -> None:
    for start in (b"", b"diff --git a/a b/a\n", b"--- a/a\n+++ b/a\n"):
        with suppress(MalformedDocument):
            read_patch(start + text)


def test_ten_megabytes_are_read_at_once() -> None:
    hunks = b"".join(
        b"@@ -%d,7 +%d,7 @@\n%s" % (at, at, b" context line of some length\n" * 3
        + b"-old line of some length\n+new line of some length\n"
        + b" context line of some length\n" * 3)
        for at in range(1, 360_000, 8)
    )  # fmt: skip
    patch = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n" + hunks
    assert len(patch) > 10_000_000
    before = time.process_time()
    (change,) = read_patch(patch)
    assert time.process_time() - before < 10
    assert len(change.hunks) == 45_000


def test_many_files_are_read_at_once() -> None:
    patch = b"".join(
        b"diff --git a/%d b/%d\nnew file mode 100644\n" % (number, number)
        for number in range(50_000)
    )
    before = time.process_time()
    assert len(read_patch(patch)) == 50_000
    assert time.process_time() - before < 10


@pytest.mark.parametrize("first", ["change", "rename"])
def test_a_file_is_not_changed_where_another_record_takes_it_away(first: str) -> None:
    change = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"
    rename = b"diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
    both = change + rename if first == "change" else rename + change
    with pytest.raises(MalformedDocument, match="a is changed twice"):
        read_patch(both)


HEAD = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n"
DATA = write_binary(b"", b"x")


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (HEAD + b"@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -2 +2 @@\n-c\n+d\n", "reaches further"),
        (HEAD + b"@@ -0,1 +0,1 @@\n-a\n+b\n", "begins at line 1 or further down"),
        (b"diff --git a/a b/a\nindex %s..%s 100644\n" % (b"0" * 40, b"1" * 40) + DATA,
         "the index line does not fit"),
    ],
    ids=["hunks overlap", "before the first line", "there was none"],
)  # fmt: skip
def test_what_a_record_says_must_fit_together(patch: bytes, reason: str) -> None:
    with pytest.raises(MalformedDocument, match=reason):
        read_patch(patch)
