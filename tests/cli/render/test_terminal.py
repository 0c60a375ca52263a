from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.cli.render.terminal import cut, folded, paint, room, visible, wants_colour, width
from custody.cli.result import Line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, größe, 大きさ\tand a tab", "plain text, größe, 大きさ\tand a tab"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("one\nPASS", "one\\nPASS"),
        ("done\rPASS", "done\\rPASS"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202egnp.exe", "a\\u202egnp.exe"),
        ("\udcff", "\\udcff"),
    ],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()))
def test_nothing_but_text_reaches_the_terminal(text: str) -> None:
    shown = visible(text)
    assert all(character == "\t" or character >= " " for character in shown)
    assert "\x7f" not in shown
    assert visible(shown) == shown


def test_colour_wraps_the_line() -> None:
    assert paint(Line("PASS", "good"), enabled=True) == "\x1b[32mPASS\x1b[0m\n"
    assert paint(Line("PASS", "good"), enabled=False) == "PASS\n"
    assert paint(Line("plain"), enabled=True) == "plain\n"


def test_colour_is_for_terminals_that_want_it() -> None:
    assert wants_colour(Terminal(), {"TERM": "xterm"})
    assert wants_colour(Terminal(), {"NO_COLOR": ""})
    assert not wants_colour(Terminal(), {"NO_COLOR": "1"})
    assert not wants_colour(Terminal(), {"TERM": "dumb"})
    assert not wants_colour(io.StringIO(), {})
    assert not wants_colour(None, {})


@pytest.mark.req("U-13")
def test_a_line_is_folded_between_words_where_that_is_allowed() -> None:
    line = Line("  first  word and more words", "bad", hang=4)
    assert [piece.text for piece in folded(line, 12)] == [
        "  first",
        "    word and",
        "    more",
        "    words",
    ]
    assert {piece.tone for piece in folded(line, 12)} == {"bad"}
    for whole in (line._replace(hang=None), Line("short", hang=4)):
        assert list(folded(whole, 12)) == [whole]
    assert list(folded(line, 0)) == [line], "no terminal bounds it"


def test_a_word_longer_than_a_line_stays_one() -> None:
    path = "/a/very/long/path"
    assert [piece.text for piece in folded(Line(f"at {path} now", hang=2), 10)] == [
        "at",
        f"  {path}",
        "  now",
    ]


@pytest.mark.req("U-13")
def test_a_command_in_backticks_stays_one() -> None:
    line = Line("hint: type `custody check p.dot`, or ` and go", hang=2)
    assert [piece.text for piece in folded(line, 14)] == [
        "hint: type",
        "  `custody check p.dot`,",
        "  or ` and go",
    ]


@given(st.text(), st.integers(1, 60))
def test_what_is_cut_fits(text: str, columns: int) -> None:
    shown = cut(visible(text), columns)
    assert width(shown) <= columns
    assert shown == visible(text) or shown.endswith("…")


@given(st.text(), st.integers(10, 60), st.integers(0, 80))
def test_no_word_is_lost_by_folding(text: str, columns: int, hang: int) -> None:
    pieces = " ".join(piece.text for piece in folded(Line(text, hang=hang), columns))
    assert visible(pieces).split() == visible(text).split()


def test_room_is_bounded_by_terminals_only() -> None:
    assert room(io.StringIO(), {"COLUMNS": "40"}) == 0
    assert room(None, {}) == 0
    assert room(Terminal(), {"COLUMNS": "40"}) == 40
    assert room(Terminal(), {}) == 0, "one that tells no size bounds nothing"
