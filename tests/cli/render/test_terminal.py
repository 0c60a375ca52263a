from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.cli.render.terminal import paint, visible, wants_colour
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
