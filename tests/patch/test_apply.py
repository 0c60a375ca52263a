"""Nothing is guessed: a patch fits what is there, or it is refused."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument
from custody.patch import EXECUTABLE, REGULAR, SYMLINK, File
from custody.patch.apply import apply_hunks, apply_patch
from custody.patch.binary import object_id, write_binary
from custody.patch.read import read_patch
from support.patches import Held

PATCH = b"""diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
"""


def after(patch: bytes, **files: File) -> dict[bytes, File | None]:
    tree = Held({name.replace("_", ".").encode(): file for name, file in files.items()})
    return apply_patch(read_patch(patch), tree, where="answer.md")


def test_a_change_keeps_the_mode_that_is_there() -> None:
    there = File(EXECUTABLE, b"one\ntwo\nthree\nfour\n")
    assert after(PATCH, a_txt=there) == {
        b"a.txt": File(EXECUTABLE, b"one\nzwei\nthree\nfour\n")
    }  # fmt: skip


@pytest.mark.parametrize(
    "content", [b"one\nTWO\nthree\n", b"", b"zero\none\ntwo\nthree\n", b"one\ntwo\nthree", b"one\n"]
)
def test_nothing_is_guessed(content: bytes) -> None:
    with pytest.raises(MalformedDocument, match=r"^answer\.md: a\.txt does not hold what the hunk"):
        after(PATCH, a_txt=File(REGULAR, content))


def test_a_hunk_without_a_context_belongs_to_the_end() -> None:
    (change,) = read_patch(PATCH.replace(b" three\n", b"").replace(b"1,3", b"1,2"))
    assert apply_hunks(b"one\ntwo\n", change.hunks) == b"one\nzwei\n"
    with pytest.raises(MalformedDocument, match="does not hold"):
        apply_hunks(b"one\ntwo\nthree\n", change.hunks)


def test_a_rename_and_a_copy_read_what_was_there_before() -> None:
    patch = (
        PATCH
        + b"diff --git a/a.txt b/c\ncopy from a.txt\ncopy to c\n"
        + b"diff --git a/b b/d\nrename from b\nrename to d\n"
        + b"diff --git a/b b/b\nnew file mode 120000\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+c\n"
        + b"\\ No newline at end of file\n"
    )
    text = b"one\ntwo\nthree\n"
    assert after(patch, a_txt=File(REGULAR, text), b=File(SYMLINK, b"x")) == {
        b"a.txt": File(REGULAR, b"one\nzwei\nthree\n"),
        b"c": File(REGULAR, text),
        b"b": File(SYMLINK, b"c"),
        b"d": File(SYMLINK, b"x"),
    }


def binary(old_id: str, new_id: str) -> bytes:
    head = f"diff --git a/x b/x\nindex {old_id}..{new_id} 100644\n".encode()
    return head + write_binary(b"\0old", b"\0new")


def test_binary_data_fits_its_names() -> None:
    old, new = object_id(b"\0old"), object_id(b"\0new")
    there = File(REGULAR, b"\0old")
    assert after(binary(old, new), x=there) == {b"x": File(REGULAR, b"\0new")}
    with pytest.raises(MalformedDocument, match="x does not hold what the binary patch expects"):
        after(binary(old, new), x=File(REGULAR, b"\0other"))
    with pytest.raises(MalformedDocument, match="x would not become what the binary patch says"):
        after(binary(old, old), x=there)


@pytest.mark.parametrize("target", [b"\0", b"x" * 4096])
def test_a_target_that_no_symlink_can_have(target: bytes) -> None:
    head = b"diff --git a/l b/l\nnew file mode 120000\nindex %s..%s\n"
    ids = b"0" * 40, object_id(target).encode()
    with pytest.raises(MalformedDocument, match="l cannot be a symlink to that"):
        after(head % ids + write_binary(b"", target))
