"""The words of a shell's text, as a shell would read them."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from custody.checks.guards.outside import as_written
from custody.checks.guards.shell_text import (
    ALTERNATIVES,
    DOLLAR,
    GLOB,
    NOTHING,
    TooManyWords,
    shell_words,
)
from support.sweep import examples

STAR, QUESTION, OPEN, CLOSE = (GLOB[at] for at in range(4))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a  b\tc", ["a", "b", "c"]),
        ("a;b|c&&d>e", ["a", "b", "c", "d", "e"]),
        ('a "b c" d', ["a", "b c", "d"]),
        (r".\./x", ["../x"]),
        ("..''/x", ["../x"]),
        (r"$'\x2e./x'", ["../x"]),
        (r"$'\101\u00e9\U0001F600\q'", ["Aé😀q"]),
        (r"$'\U00110000x'", ["x"]),
        (r"a\ b", ["a b"]),
        ("a\\\nb", ["ab"]),
        ("'unclosed", ["unclosed"]),
        ("'*' *", ["*", STAR]),
        ("[a]?", [f"{OPEN}a{CLOSE}{QUESTION}"]),
        ("echo $HOME", ["echo", "${HOME}"]),
        ("echo '$HOME'", ["echo", f"{DOLLAR}{{HOME}}"]),
        (r'"\$x"', [f"{DOLLAR}{{x}}"]),
        ("{a}", ["{a}"]),
        ("{1..3}", ["{1..3}"]),
        ("'{a,b}'", ["{a,b}"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert list(shell_words(text)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{/,}etc", {"/etc", "etc"}),
        ("{a,b}{c,d}", {"ac", "ad", "bc", "bd"}),
        ("x{a,{b,c}}y", {"xay", "xby", "xcy"}),
        ("$(cat x)y", {"cat", "x", f"{NOTHING}y"}),
        ("`cat x`", {"cat", "x", NOTHING}),
        ("sh -c 'cat \"a b\"'", {'cat "a b"', "cat", "a b"}),
        ("sh -c 'echo {/,}etc'", {"/etc"}),
        ("# it's\n/etc", {"/etc"}),
        ("# it's\n.$(true)./x", {f".{NOTHING}./x"}),
        ("cat <<E\nit's\nE\n/etc", {"/etc"}),
    ],
)
def test_whatever_a_text_may_mean_is_among_its_words(text: str, words: set[str]) -> None:
    assert words <= set(shell_words(text))


@pytest.mark.parametrize(
    "text",
    [
        "{" + ",".join(map(str, range(ALTERNATIVES + 1))) + "}",
        "{a,b}" * 9,
        "$(" * 300 + ")" * 300,
        "a$(x)" * 300,
    ],
)
def test_more_words_than_anyone_would_write_are_refused(text: str) -> None:
    with pytest.raises(TooManyWords):
        list(shell_words(text))


PIECES = st.sampled_from([*"ab ./\\'\"", "''", '""', r"$'\x2e'", r"\056", "é", "\t"])


@settings(max_examples=examples(60))
@given(st.lists(PIECES, max_size=8).map("".join))
def test_what_a_shell_makes_of_a_text_is_among_its_words(text: str) -> None:
    text += " end"
    asked = ["bash", "-c", f"printf '%s\\0' {text}"]
    done = subprocess.run(asked, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode == 0 and not done.stderr:
        given_words = done.stdout.decode().split("\0")[:-1]
        assert set(filter(None, given_words)) <= set(map(as_written, shell_words(text)))


@pytest.mark.parametrize("text", ["$(" * 15 + "a" + ")" * 15, "\\" * 2**14 + "a"])
def test_what_too_many_shells_would_read_is_refused(text: str) -> None:
    with pytest.raises(TooManyWords):
        list(shell_words(text))
