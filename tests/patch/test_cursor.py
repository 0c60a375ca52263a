"""A patch line by line, and where it is wrong."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument
from custody.patch import LIMIT
from custody.patch.cursor import PatchCursor


def test_lines_are_taken_one_after_the_other() -> None:
    cursor = PatchCursor(b"one\n\x0c\r\n\n", "answer.md")
    assert (cursor.number, cursor.line, cursor.next_is(b"on")) == (1, b"one", True)
    assert [cursor.take(), cursor.take(), cursor.take()] == [b"one", b"\x0c\r", b""]
    assert (cursor.number, cursor.line, cursor.next_is(b"")) == (4, None, False)


def test_what_is_wrong_has_its_line() -> None:
    cursor = PatchCursor(b"one\ntw\xffo\n", "answer.md")
    cursor.take()
    assert str(cursor.malformed("it is")) == "answer.md: line 2: it is"
    assert str(cursor.malformed("it is", 7)) == "answer.md: line 7: it is"
    assert str(cursor.unexpected("it")) == r"answer.md: line 2: 'tw\\xffo' is not it"
    cursor.take()
    assert str(cursor.unexpected("it")) == "answer.md: line 3: the patch ends where it is expected"


def test_the_last_line_must_end() -> None:
    with pytest.raises(MalformedDocument, match=r"line 2: .* cut off"):
        PatchCursor(b"one\ntwo", "")


def test_what_unfolds_is_counted_together() -> None:
    cursor = PatchCursor(b"", "")
    cursor.unfold(LIMIT)
    with pytest.raises(MalformedDocument, match="unfolds to more"):
        cursor.unfold(1)
