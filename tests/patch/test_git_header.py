"""Git's own header of a file; what git makes of one is in `test_beside_git`."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument
from custody.patch import EXECUTABLE, REGULAR, FileChange
from custody.patch.cursor import PatchCursor
from custody.patch.git_header import Header, read_git_header

START = b"diff --git a/a b/a\n"


def read(*lines: bytes) -> Header:
    return read_git_header(PatchCursor(START + b"".join(line + b"\n" for line in lines), ""))


def test_modes_and_object_names() -> None:
    header = read(b"old mode 100644", b"new mode 100755", b"index 12..ab")
    assert header.ids == ("12", "ab")
    assert header.change == FileChange(1, "modify", b"a", b"a", REGULAR, EXECUTABLE)


def test_the_index_line_notes_a_mode_that_stays() -> None:
    change = read(b"index 12..ab 100755").change
    assert (change.old_mode, change.new_mode) == (EXECUTABLE, EXECUTABLE)
    assert read(b"new file mode 100755", b"index 0..ab 100755").change.new_mode == EXECUTABLE


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([b"index 12..ab 100644", b"index 12..ab 100644"], "line 3: 'index ' stands twice"),
        ([b"new file mode 100644", b"index 0..ab 100755"], "another line 100644"),
        ([b"new file mode 100644", b"old mode 100644", b"new mode 100755"], "belong together"),
        ([b"old mode 100644", b"new mode 100644"], "cannot change from 100644 to 100644"),
        ([b"copy from a", b"copy to a"], "becomes itself"),
        ([b"rename from a", b"copy to b"], "copy and rename"),
        ([b"rename from a", b"rename to b", b"--- a/a", b"+++ b/c"], "name different files"),
        ([b"rename from a", b"rename to b"], "names another file than the lines below"),
        ([b"--- a/a", b"index 12..ab"], "begins with"),
        ([b"index 12..ab 160000"], "submodules"),
        ([b'rename from "a'], "a line with a name"),
    ],
)
def test_lines_that_contradict_each_other(lines: list[bytes], reason: str) -> None:
    with pytest.raises(MalformedDocument, match=reason):
        read(*lines)
