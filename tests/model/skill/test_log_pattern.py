from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.skill.log_pattern import LINE_LIMIT, error_lines, pattern_fault


@pytest.mark.parametrize(
    "pattern",
    [
        "^Error:",
        r"^\*\*ERROR: \([A-Z]+-\d+\)",
        "(?i)fatal|(?:not found|missing)$",
        r"[][(*+?]{3}x",
        r"a{2,5}b",
        r"(?:abc)? (x)+",
        r"\(a+\)+ \[",
        ".*a.*b",
        "{ x }",
    ],
)
def test_a_plain_pattern_is_taken(pattern: str) -> None:
    assert pattern_fault(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "is no regular expression"),
        ("a{99999999999999999999}", "is no regular expression"),
        ("", "matches an empty line"),
        ("x*", "matches an empty line"),
        ("a|", "matches an empty line"),
        ("x" * 301, "has more than 300 characters"),
        ("(a+)+b", "repeats a group that holds"),
        ("(a*)*b", "repeats a group that holds"),
        ("(?:a|a)*b", "repeats a group that holds"),
        ("((a|b)c){5}", "repeats a group that holds"),
        ("((?:a+)b)*c", "repeats a group that holds"),
        (r"(a)\1", "refers back"),
        ("(?=a)b", "holds '(?=a)'"),
        ("(?P<x>a)", "holds '(?P<x>a)'"),
        ("a(?i:b)", "holds '(?i:'"),
        (".*.*.*x", "more than 2 open repeats"),
        ("a?" * 9 + "a" * 9, "more than 8 parts"),
        ("(a|a)" * 4, "more than 3 choices"),
    ],
)
def test_a_pattern_that_may_take_for_ever_is_not_taken(pattern: str, why: str) -> None:
    assert why in pattern_fault(pattern)


def test_the_lines_that_mean_failure() -> None:
    text = "ok\r\nError: one\r\nError: 0 found\nWarning\n**ERROR: (X-1)\nno Error: here\n"
    found = [
        (each.line, each.text, each.pattern)
        for each in error_lines(text, ("^Error:", r"^\*\*ERROR", "Error:$"), ("0 found$",))
    ]
    assert found == [
        (2, "Error: one", "^Error:"),
        (5, "**ERROR: (X-1)", r"^\*\*ERROR"),
    ]
    assert list(error_lines(text, ())) == []


def test_what_stands_behind_the_progress_of_a_tool() -> None:
    """On a terminal a carriage return begins the line anew."""
    text = "fine\n10%\r20%\rError: one\n30%\rError: 0 found\rError: two\r\n"
    found = [(one.line, one.text) for one in error_lines(text, ["^Error:"], ["0 found$"])]
    assert found == [(2, "Error: one"), (3, "Error: two")]


@pytest.mark.parametrize("before", [0, 1, LINE_LIMIT - 3, LINE_LIMIT, 5 * LINE_LIMIT + 1])
@pytest.mark.parametrize("after", [0, LINE_LIMIT])
def test_all_of_a_long_line_is_looked_through(before: int, after: int) -> None:
    line = "." * before + "Error: one" + "." * after
    (found,) = error_lines(f"fine\n{line}\nfine", ["Error: one"])
    assert found.line == 2
    assert "Error: one" in found.text
    assert len(found.text) <= LINE_LIMIT
    begins = [*error_lines(line, ["^Error:"])]
    assert bool(begins) is (before == 0)


@given(st.text("ab()|*+?{}2,.[]^\\d: ", max_size=40))
def test_whatever_is_taken_comes_to_an_end(pattern: str) -> None:
    if pattern_fault(pattern):
        return
    compiled = re.compile(pattern)
    for line in ("a" * LINE_LIMIT, "ab" * (LINE_LIMIT // 2), "2" * LINE_LIMIT, "a " * 500 + "!"):
        began = time.process_time()
        compiled.search(line)
        assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "said",
    [
        "\x1b[31mError: one\x1b[0m",
        "\x1b[1;38:5:9mError\x1b[0m: one",
        "10%\b\b\bError: one",
        "10%\x1b[2K\x1b[1GError: one",
        "done\vError: one",
        "done\fError: one",
    ],
)
def test_a_line_is_what_a_terminal_shows(said: str) -> None:
    (found,) = error_lines(f"fine\n{said}\n", ["^Error: one"])
    assert (found.line, found.text) == (2, "Error: one")
