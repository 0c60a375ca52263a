"""What may stand in a table: short, printable, alike in both databases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument, UsageError
from custody.logbook.text import (
    LONGEST,
    META_LIMIT,
    checked,
    json_text,
    meta_of,
    meta_text,
    shortened,
)


@pytest.mark.parametrize("text", ["", "a\0b", "a\nb", "\ud800", "x" * (LONGEST + 1), "\u202e"])
def test_what_no_table_takes_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        checked("a name", text)


@given(st.text())
def test_what_others_wrote_becomes_one_short_line(text: str) -> None:
    line = shortened(text)
    assert line.isprintable()
    assert len(line) <= LONGEST
    assert not text.isprintable() or len(text) > LONGEST or line == text


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3))
def test_facts_come_back(meta: dict[str, str | int | bool]) -> None:
    text = meta_text(meta)
    assert "\0" not in text
    assert meta_of(text, "here") == meta


def test_facts_are_no_place_for_a_document() -> None:
    with pytest.raises(UsageError, match="limit"):
        meta_text({"text": "x" * META_LIMIT})


def test_facts_that_somebody_else_wrote_are_checked() -> None:
    with pytest.raises(MalformedDocument):
        meta_of('{"a": [1]}', "here")
    assert json_text({"a": "\0"}) == '{"a":"\\u0000"}'
