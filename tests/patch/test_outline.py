"""The parts of a diff: the same that the reader sees, and those of diffs that it refuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.patch.outline import Part, outline
from custody.patch.read import read_patch
from support.patches import Tree, changed_trees, written

MANY = b"""diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@ def one():
--- x
-two
+++ y
+zwei
@@ -8 +8 @@
-a
+b
\\ No newline at end of file
diff --git "a/b\\tc" b/d
similarity index 100%
rename from "b\\tc"
rename to d
diff --git a/e b/e
deleted file mode 100644
diff --git a/m b/m
old mode 100755
new mode 100644
"""
PLAIN = b"--- a/p\n+++ b/p\n@@ -1 +1 @@\n-1\n+2\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-1\n+2\n"
SVN = b"""Index: trunk/a b.c
===================================================================
--- trunk/a b.c\t(revision 1)
+++ trunk/a b.c\t(revision 2)
@@ -1 +1 @@
-x
+y

Property changes on: trunk/a b.c
___________________________________________________________________
Added: svn:eol-style
## -0,0 +1 ##
+native
Index: bin.png
===================================================================
Cannot display: file marked as a binary type.
"""
SVN_GIT = b"Index: n\n=====\ndiff --git a/n b/n\nnew file mode 10644\n--- /dev/null\n+++ b/n\n@@"


def told(data: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (data[part.begin :].partition(b"\n")[0], part.heading or part.path)
        for part in outline(data)
    ]


@given(changed_trees())
def test_both_say_the_same_of_what_is_written(trees: tuple[Tree, Tree]) -> None:
    data = written(*trees)
    if data:
        assert list(outline(data)) == list(as_read(data))


@given(
    st.lists(
        st.sampled_from(
            [
                b"diff --git a/a b/a\n",
                b"--- a/a\n",
                b"+++ b/a\n",
                b"@@ -1 +1 @@\n",
                b"-- x\n",
                b"@@ -1,2 +1,2 @@ f\n",
                b"-a\n",
                b"+b\n",
                b" c\n",
                b"\n",
                b"rename from a\n",
                b"rename to b\n",
                b"old mode 100644\n",
                b"new mode 100755\n",
                b"--- a/q\n+++ b/q\n@@ -1 +1 @@\n-1\n+2\n",
            ]
        ),
        max_size=24,
    ).map(b"".join)
)
def test_both_say_the_same_of_whatever_is_read(data: bytes) -> None:
    parts = list(outline(data))
    assert bool(parts) == bool(data)
    assert [part.begin for part in parts] == sorted({part.begin for part in parts})
    assert not parts or parts[0].begin == 0
    try:
        read = list(as_read(data))
    except MalformedDocument:
        return
    assert [(part.begin, part.path, part.hunk) for part in parts if part.path] == [
        (part.begin, part.path, part.hunk) for part in read
    ]


def as_read(data: bytes) -> Iterator[Part]:
    """Yield the parts of a patch as its reader tells them."""
    begins = [0]
    for line in data.split(b"\n"):
        begins.append(begins[-1] + len(line) + 1)
    for change in read_patch(data):
        path = change.new_path or change.old_path or b""
        yield Part(begins[change.number - 1], path)
        for hunk in change.hunks:
            yield Part(begins[hunk.number - 1], path, hunk=True)


@given(st.binary(max_size=200) | st.text().map(str.encode))
def test_anything_has_an_outline(data: bytes) -> None:
    begins = [part.begin for part in outline(data)]
    assert begins[:1] == ([0] if data else [])


@pytest.mark.parametrize(
    ("data", "parts"),
    [
        (
            MANY,
            [
                (b"diff --git a/a.txt b/a.txt", b"a.txt"),
                (b"@@ -1,2 +1,2 @@ def one():", b"def one():"),
                (b"@@ -8 +8 @@", b"a.txt"),
                (b'diff --git "a/b\\tc" b/d', b"d"),
                (b"diff --git a/e b/e", b"e"),
                (b"diff --git a/m b/m", b"m"),
            ],
        ),
        (
            PLAIN,
            [
                (b"--- a/p", b"p"),
                (b"@@ -1 +1 @@", b"p"),
                (b"--- a/q", b"q"),
                (b"@@ -1 +1 @@", b"q"),
            ],
        ),
        (
            SVN,
            [
                (b"Index: trunk/a b.c", b"trunk/a b.c"),
                (b"@@ -1 +1 @@", b"trunk/a b.c"),
                (b"Index: bin.png", b"bin.png"),
            ],
        ),
        (SVN_GIT, [(b"Index: n", b"n")]),
        (b"commit 0123456789\n\n    diff --git a/x b/x\n", [(b"commit 0123456789", b"")]),
        (
            b"diff --cc a/x\n@@@ -1 -1 +1 @@@ f\n",
            [(b"diff --cc a/x", b"a/x"), (b"@@@ -1 -1 +1 @@@ f", b"f")],
        ),
        (b"diff --git a/\xff b/\xff\nBinary", [(b"diff --git a/\xff b/\xff", b"\xff")]),
        (b"diff --git x x\n--- x\n+++ x\n@@ -1", [(b"diff --git x x", b"x"), (b"@@ -1", b"x")]),
        (
            b"From: me\n\n---\n" + PLAIN[:32],
            [(b"From: me", b""), (b"--- a/p", b"p"), (b"@@ -1 +1 @@", b"p")],
        ),
        (b"", []),
    ],
)
def test_the_parts_of(data: bytes, parts: list[tuple[bytes, bytes]]) -> None:
    assert told(data) == parts
