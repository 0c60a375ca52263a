"""Whether an indented line lies in an item of a list."""

from __future__ import annotations

import pytest

from custody.ingest.fence_lists import Lists, width


def column(text: str, indent: int = 3) -> int:
    """Return where the content of the item begins that a line after the text would lie in."""
    data = text.encode()
    return Lists(data + b"```").column(len(data), indent)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("plain text\n\n", 0),
        ("- item\n\n", 2),
        ("* item\n\n", 2),
        ("+ item\n\n", 2),
        ("1. item\n\n", 3),
        ("1) item\n\n", 3),
        ("-  item\n\n", 3),
        ("-\n", 2),
        ("-     code\n\n", 2),
        (" - item\n\n", 3),
        ("- a\n- b\n\n", 2),
        ("---\n\n", 0),
        ("* * *\n\n", 0),
        ("-text\n\n", 0),
        ("1234567890. item\n\n", 0),
        ("- item\n\nplain\n\n", 0),
        ("- item\n\n# heading\n", 0),
        ("- item\n\n> quote\n", 0),
        ("- item\nlazy line\n\n", 2),
        ("- item\n\n  more of it\n\n", 2),
    ],
)
def test_where_an_item_begins(text: str, expected: int) -> None:
    assert column(text) == expected


def test_a_line_that_is_indented_less_lies_in_an_outer_item_or_in_none() -> None:
    nested = "- outer\n  - inner\n\n"
    assert [column(nested, indent) for indent in range(6)] == [0, 0, 2, 2, 4, 4]
    assert column("- - both\n\n", 4) == 4


def test_a_block_ends_the_paragraph_before_it() -> None:
    data = b"- item\n```\n```\n"
    lists = Lists(data)
    assert lists.column(7, 0) == 0
    lists.leave(len(data))
    assert lists.column(len(data), 3) == 0
    again = Lists(b"- item\n  ```\n  ```\n  ")
    assert again.column(7, 2) == 2
    again.go_on(19)
    assert again.column(19, 2) == 2


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("   ", 3), ("\t", 4), (" \t", 4), ("    \t", 8), ("\t ", 5), ("ab\t", 4)],
)
def test_a_tab_goes_to_the_next_stop(text: str, columns: int) -> None:
    assert width(text.encode(), 0, len(text)) == columns
