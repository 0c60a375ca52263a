"""JSON lines that an agent prints are read for what they are worth."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.executors.records import (
    count,
    number,
    part,
    price,
    record_of,
    text,
    tokens,
    told,
)


@pytest.mark.parametrize(
    ("line", "record"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'  {"a": 1}\r', {"a": 1}),
        (b"warning: x", None),
        (b"[1]", None),
        (b"{", None),
        (b"", None),
        (b'{"a": NaN}', None),
        (b"{" * 100_000, None),
    ],
)
def test_a_line_is_an_object_or_something_else(line: bytes, record: object) -> None:
    found = record_of(line)
    if record is None and found is not None:
        assert math.isnan(found["a"])  # json takes it; every reader below does not
    else:
        assert found == record


@given(st.binary(max_size=60))
def test_any_bytes_are_read(line: bytes) -> None:
    assert record_of(line) is None or isinstance(record_of(line), dict)


RECORD = {
    "part": {"inner": 1}, "text": "x", "n": 3, "f": 2.5, "yes": True, "minus": -1, "huge": 1e300,
    "nan": math.nan, "list": [1],
}  # fmt: skip


def test_what_is_not_of_the_kind_counts_as_nothing() -> None:
    assert (part(RECORD, "part"), part(RECORD, "text"), part(RECORD, "no")) == (
        {"inner": 1},
        {},
        {},
    )
    assert (text(RECORD, "text"), text(RECORD, "n"), text(RECORD, "no")) == ("x", "", "")
    assert [number(RECORD, name) for name in ("n", "f", "yes", "minus", "huge", "nan", "text")] == [
        3, 2.5, 0, 0, 0, 0, 0,
    ]  # fmt: skip
    assert count(RECORD, "n", "f", "no") == 5


def test_what_is_not_told_is_unknown() -> None:
    record = {"none": None, "zero": 0, "much": 1.23456789, "odd": "x", "below": -1, "yes": True}
    assert {name: told(record, name) for name in record} == {
        "none": None, "zero": 0, "much": 1.23456789, "odd": None, "below": None, "yes": None,
    }  # fmt: skip
    assert (price(record, "zero"), price(record, "much"), price(record, "odd")) == (
        0.0,
        1.234568,
        None,
    )
    assert (tokens(record, "zero"), tokens(record, "much"), tokens(record, "missing")) == (
        0,
        1,
        None,
    )
