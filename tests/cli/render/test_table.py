from __future__ import annotations

import pytest

from custody.cli.render.table import TableRow, count, fitted, needed, seconds, table
from custody.cli.render.terminal import width


def test_columns_are_aligned() -> None:
    assert table(("stage", "outcome"), [("a", "success"), ("long name", "fail")]) == [
        "stage      outcome",
        "a          success",
        "long name  fail",
    ]


def test_wide_and_combining_characters_count_as_they_look() -> None:
    assert width("大きさ") == 6
    assert width("é") == 1
    rows = table(("a", "b"), [("大", "x"), ("ab", "x")])
    assert rows == ["a   b", "大  x", "ab  x"]


def test_a_cell_cannot_break_out_of_its_row() -> None:
    assert table(("a", "b"), [("x\ny", "z")])[1] == "x\\ny  z"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0ms"), (0.0124, "12ms"), (1, "1.0s"), (59.94, "59.9s"), (60, "1m00s"), (3725, "1h02m")],
)
def test_seconds(value: float, text: str) -> None:
    assert seconds(value) == text


def test_count() -> None:
    assert [count(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]


ROWS = [
    TableRow(("a", "tool", "success"), "good"),
    TableRow(("a name that is long", "tool", "fail"), "bad", "what went wrong, at length"),
]


def lines(columns: int) -> list[str]:
    return [line.text for line in fitted(("stage", "type", "outcome"), ROWS, columns)]


@pytest.mark.req("U-13")
def test_a_table_that_fits_has_one_line_a_row() -> None:
    wide = [
        "stage                type  outcome",
        "a                    tool  success",
        "a name that is long  tool  fail     what went wrong, at length",
    ]
    assert lines(0) == lines(80) == wide
    assert needed(("stage", "type", "outcome"), ROWS) == 34


@pytest.mark.req("U-13")
def test_a_narrow_table_loses_nothing() -> None:
    assert lines(40) == [
        "stage                type  outcome",
        "a                    tool  success",
        "a name that is long  tool  fail",
        "    what went wrong, at length",
    ]
    assert lines(30) == [
        "stage  type  outcome",
        "a      tool  success",
        "a name that is long",
        "       tool  fail",
        "    what went wrong, at length",
    ]


def test_a_remark_has_a_heading_where_it_is_given_one() -> None:
    heading = next(iter(fitted(("stage", "type", "outcome"), ROWS, 0, remark="reason")))
    assert (heading.text, heading.tone) == ("stage                type  outcome  reason", "strong")
