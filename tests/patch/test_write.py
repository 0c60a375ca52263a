"""The words of a patch; what git makes of them is in `test_against_git`."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from custody.model.change import Change, Entry
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.patch.read import read_patch
from custody.patch.write import write_change
from support.patches import change_of, nodes, paths


def section(path: bytes, before: File | None, after: File | None) -> bytes:
    change = change_of(path, before, after)
    return write_change(change, before and before.content, after and after.content)


def test_a_modified_file() -> None:
    before = File(REGULAR, b"one\ntwo\n")
    assert section(b"a.txt", before, File(EXECUTABLE, b"one\n2")) == (
        b"diff --git a/a.txt b/a.txt\n"
        b"old mode 100644\n"
        b"new mode 100755\n"
        b"index 814f4a422927..4ed879660e19\n"
        b"--- a/a.txt\n"
        b"+++ b/a.txt\n"
        b"@@ -1,2 +1,2 @@\n"
        b" one\n"
        b"-two\n"
        b"+2\n"
        b"\\ No newline at end of file\n"
    )


def test_differences_that_are_near_are_one_hunk() -> None:
    old = [b"%d\n" % number for number in range(40)]
    new = [b"x\n" if number in {5, 12, 20} else line for number, line in enumerate(old)]
    text = section(b"a", File(REGULAR, b"".join(old)), File(REGULAR, b"".join(new)))
    heads = [line for line in text.split(b"\n") if line.startswith(b"@@")]
    assert heads == [b"@@ -3,14 +3,14 @@", b"@@ -18,7 +18,7 @@"]


def test_a_name_with_a_blank_ends_with_a_tab() -> None:
    text = section(b"a b", None, File(REGULAR, b"x\n"))
    assert b"diff --git a/a b b/a b\n" in text
    assert b"--- /dev/null\n+++ b/a b\t\n@@ -0,0 +1 @@\n" in text


def test_what_is_no_text_has_its_whole_names_and_both_ways() -> None:
    text = section(b"a", File(REGULAR, b"\0"), File(REGULAR, b"\0\0"))
    ids = b"f76dd238ade08917e6712764a16a22005a50573d..09f370e38f498a462e1ca0faa724559b6630c04f"
    assert b"\nindex %s 100644\n" % ids in text
    assert text.split(b"\n")[2] == b"GIT binary patch"
    assert [line for line in text.split(b"\n") if line.startswith(b"literal")] == [
        b"literal 2", b"literal 1",
    ]  # fmt: skip


def test_a_type_that_changes_goes_and_comes() -> None:
    text = section(b"a", File(REGULAR, b"x\n"), File(SYMLINK, b"b"))
    assert text.count(b"diff --git a/a b/a\n") == 2
    assert text.index(b"deleted file mode 100644") < text.index(b"new file mode 120000")


def test_an_empty_file_has_no_hunk() -> None:
    assert section(b"a", None, File(REGULAR, b"")) == (
        b"diff --git a/a b/a\nnew file mode 100644\nindex 000000000000..e69de29bb2d1\n"
    )


def test_a_content_that_is_not_at_hand() -> None:
    change = change_of(b"a", File(REGULAR, b"x"), File(REGULAR, b"y"))
    text = write_change(change, None, None)
    assert text == b"diff --git a/a b/a\nBinary files a/a and b/a differ\n"


def test_a_mode_needs_no_content() -> None:
    change = change_of(b"a", File(REGULAR, b"x"), File(EXECUTABLE, b"x"))
    text = write_change(change, None, None)
    assert text == b"diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"


@pytest.mark.req("G-04")
@given(path=paths, before=st.none() | nodes, after=st.none() | nodes)
def test_what_is_written_is_read_as_the_same_change(
    path: bytes, before: File | None, after: File | None
) -> None:
    assume(before != after)
    found = read_patch(section(path, before, after))
    retyped = before and after and (before.mode == SYMLINK) != (after.mode == SYMLINK)
    kinds = ["delete", "add"] if retyped else ["modify" if before and after else found[0].kind]
    assert [change.kind for change in found] == kinds
    assert {name for change in found for name in change.paths} == {path}
    assert [change.old_mode for change in found if change.old_path] == [
        f.mode for f in (before,) if f
    ]
    assert [change.new_mode for change in found if change.new_path] == [
        f.mode for f in (after,) if f
    ]


def entry(kind: str, mode: int = 0o755, sha256: str = "") -> Entry:
    return Entry(path="d", kind=kind, mode=mode, sha256=sha256)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        Change(path="d", change="added", after=entry("dir")),
        Change(path="d", change="deleted", before=entry("other")),
        Change(path="d", change="mode", before=entry("file", 0o644), after=entry("file", 0o600)),
        Change(path=".git/config", change="added", after=entry("file")),
    ],
)
def test_what_git_cannot_hold_is_left_out(change: Change) -> None:
    assert write_change(change, b"", b"") == b""


def test_a_file_in_the_place_of_a_folder() -> None:
    change = Change(path="d", change="modified", before=entry("dir"), after=entry("file", 0o644))
    assert write_change(change, None, b"x\n").startswith(
        b"diff --git a/d b/d\nnew file mode 100644"
    )
