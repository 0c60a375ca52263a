"""Diffs are cut by file and hunk, whatever is odd about them."""

from __future__ import annotations

import time

import pytest

from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_diff

ODD = b"""diff --git a/a.py b/a.py
index 1..2 100644
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
-one
+eins
 two
@@ -9 +9 @@ class A:
-x
+y
\\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git "a/caf\\303\\251 \\377" b/plain
similarity index 100%
rename from "caf\\303\\251 \\377"
rename to plain
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git "a/l\\303\\251" "b/l\\303\\251"
--- "a/l\\303\\251"
+++ "b/l\\303\\251"
@@ -1 +1 @@
-caf\xe9
+caf\xc3\xa9
"""


def chunks_of(data: bytes, source_type: str = "git") -> list[Chunk]:
    chunks = chunk_diff(content=data, source_type=source_type, source_id="1:abc")
    assert b"".join(data[slice(*chunk.bytes)] for chunk in chunks) == data
    return chunks


def test_each_file_and_hunk_is_a_piece() -> None:
    assert [(chunk.title, chunk.lines) for chunk in chunks_of(ODD)] == [
        ("a.py", (1, 8)),
        ("a.py: class A:", (9, 12)),
        ("logo.png", (13, 15)),
        ("plain", (16, 19)),
        ("run.sh", (20, 22)),
        ("lé", (23, 28)),
    ]


def test_a_message_above_the_diff_is_kept() -> None:
    first, second, *_ = chunks_of(b"commit 0123456789abcdef\n\n    Say why\n\n" + ODD)
    assert (first.title, second.title) == ("", "a.py")
    assert "Say why" in first.text


def test_a_long_hunk_is_several_pieces_of_its_file() -> None:
    lines = b"".join(b"+line %d\n" % number for number in range(60))
    data = b"diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,60 @@\n" + lines
    chunks = chunks_of(data)
    assert [chunk.title for chunk in chunks] == ["n"] * 3
    assert [chunk.lines for chunk in chunks] == [(1, 22), (23, 44), (45, 64)]


@pytest.mark.parametrize("data", [b"not a diff\n" * 60, b"\xff" * 5000, b"@@@\n--- \n+++ \n@@"])
def test_what_is_no_diff_is_cut_by_lines(data: bytes) -> None:
    assert chunks_of(data)
    assert chunks_of(b"") == []


@pytest.mark.parametrize(
    "data",
    [
        b"--- a\n" * 20_000,
        b"--- a\n+++ b\n" * 10_000,
        b"@@ -1,20000 +1,20000 @@\n" + b"--- a\n+++ b\n" * 10_000,
        b"Index: a\n====\n" * 10_000,
        b"x" * 200_000,
        b"\n" * 100_000,
    ],
    ids=range(6),
)
def test_the_time_is_linear(data: bytes) -> None:
    began = time.process_time()
    chunks_of(data)
    assert time.process_time() - began < 20
