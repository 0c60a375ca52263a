"""A patch line by line, and where it is wrong."""

from __future__ import annotations

import pytest

from custody.errors import MalformedDocument
from custody.workspace.patch import LIMIT
from custody.workspace.patch.source import Source


def test_lines_are_taken_one_after_the_other() -> None:
    source = Source(b"one\n\x0c\r\n\n", "answer.md")
    assert (source.number, source.line, source.next_is(b"on")) == (1, b"one", True)
    assert [source.take(), source.take(), source.take()] == [b"one", b"\x0c\r", b""]
    assert (source.number, source.line, source.next_is(b"")) == (4, None, False)


def test_what_is_wrong_has_its_line() -> None:
    source = Source(b"one\ntw\xffo\n", "answer.md")
    source.take()
    assert str(source.malformed("it is")) == "answer.md: line 2: it is"
    assert str(source.malformed("it is", 7)) == "answer.md: line 7: it is"
    assert str(source.unexpected("it")) == r"answer.md: line 2: 'tw\\xffo' is not it"
    source.take()
    assert str(source.unexpected("it")) == "answer.md: line 3: the patch ends where it is expected"


def test_the_last_line_must_end() -> None:
    with pytest.raises(MalformedDocument, match=r"line 2: .* cut off"):
        Source(b"one\ntwo", "")


def test_what_unfolds_is_counted_together() -> None:
    source = Source(b"", "")
    source.unfold(LIMIT)
    with pytest.raises(MalformedDocument, match="unfolds to more"):
        source.unfold(1)
