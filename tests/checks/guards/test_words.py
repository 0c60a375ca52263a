"""The word-only grammar: what is read as which words, and what is refused with which code."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.guards.words import DEPTH_LIMIT, LENGTH_LIMIT, Operator, Word, read_tokens
from custody.errors import CommandRefused


def texts(line: str) -> list[str]:
    return [token.text for token in read_tokens(line)]


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("go test ./...", ["go", "test", "./..."]),
        ("  a   b  ", ["a", "b"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a ''", ["a", ""]),
        ('A="b c" d', ["A=b c", "d"]),
        ("x --flag='a b'", ["x", "--flag=a b"]),
        ("a&&b||c;d|e", ["a", "&&", "b", "||", "c", ";", "d", "|", "e"]),
        ("(a)", ["(", "a", ")"]),
        ("go test -run ^TestA$ ./x", ["go", "test", "-run", "^TestA$", "./x"]),
        ("go test -run '^(A|B)$'", ["go", "test", "-run", "^(A|B)$"]),
        ('go test -run "^A$"', ["go", "test", "-run", "^A$"]),
        ("pytest a.py::b[1-x]", ["pytest", "a.py::b[1-x]"]),
        ("git log HEAD~1 HEAD^ a#1", ["git", "log", "HEAD~1", "HEAD^", "a#1"]),
        ("pytest tests/test_größe.py -k 说明", ["pytest", "tests/test_größe.py", "-k", "说明"]),
        ("", []),
    ],
)
def test_reads_words(line: str, expected: list[str]) -> None:
    assert texts(line) == expected


@pytest.mark.req("P-08")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a `b`", "substitution"),
        ("a $(b)", "substitution"),
        ("a x$(b)", "substitution"),
        ('a "x $(b)"', "substitution"),
        ("a 'x $(b)'", "substitution"),
        ("a '${b}'", "substitution"),
        ("a ${b:-c}", "substitution"),
        ('a "${b:-c}"', "substitution"),
        ("a <(b)", "substitution"),
        ("a >(b)", "substitution"),
        ("a $?", "substitution"),
        ("a $1", "substitution"),
        ('a "$@"', "substitution"),
        ("a $$", "substitution"),
        ("a $[1]", "substitution"),
        ("a\nb", "operator"),
        ("a &", "operator"),
        ("a & b", "operator"),
        ("a |& b", "operator"),
        ("a &&& b", "operator"),
        ("a ;; b", "operator"),
        ("a > b", "operator"),
        ("a 2>&1", "operator"),
        ("a < b", "operator"),
        ("a << b", "operator"),
        ("a &> b", "operator"),
        ("f() a", "operator"),
        ("(a) b", "operator"),
        ("(a)(b)", "operator"),
        ("(a", "operator"),
        ("a)", "operator"),
        ("(" * (DEPTH_LIMIT + 1) + "a" + ")" * (DEPTH_LIMIT + 1), "operator"),
        ("a \\\nb", "charset"),
        ("a b\\ c", "charset"),
        ("a 'b\\c'", "charset"),
        ("g''o", "charset"),
        ("''go", "charset"),
        ("a 'b'c", "charset"),
        ('a "b', "charset"),
        ("a 'b", "charset"),
        ("a $'b'", "charset"),
        ('a $"b"', "charset"),
        ("a\tb", "charset"),
        ("a\rb", "charset"),
        ("a\x00b", "charset"),
        ("a 'b\nc'", "charset"),
        ("a\u00a0b", "charset"),
        ("a\u2028b", "charset"),
        ("a \u202eb", "charset"),
        ("a \ud800", "charset"),
        ("a *.py", "charset"),
        ("a b?", "charset"),
        ("a {b,c}", "charset"),
        ("! a", "charset"),
        ("# a", "charset"),
        ("a" * (LENGTH_LIMIT + 1), "charset"),
    ],
)
def test_refuses_what_only_a_shell_understands(line: str, code: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        read_tokens(line)
    assert refused.value.code == code


@pytest.mark.parametrize("line", ["$A", "${A}", 'x="$A"', "~", "~/a", "A=~/b", "A=b:~c", "a$B.c"])
def test_marks_what_a_shell_would_replace(line: str) -> None:
    (word,) = read_tokens(line)
    assert isinstance(word, Word)
    assert word.expands


@pytest.mark.parametrize("line", ["'$A'", "'~'", '"~"', "HEAD~1", "a$", "x='$A'"])
def test_leaves_literal_text_unmarked(line: str) -> None:
    (word,) = read_tokens(line)
    assert isinstance(word, Word)
    assert not word.expands


ALPHABET = st.sampled_from(list("ab=/.~$'\"(){}&|;<> \\\n`#[*é\u00a0-"))


@pytest.mark.req("P-08")
@given(st.text(ALPHABET, max_size=40) | st.text(max_size=40))
def test_agrees_with_shlex_on_everything_it_admits(line: str) -> None:
    try:
        tokens = read_tokens(line)
    except CommandRefused:
        return
    if not any(isinstance(token, Operator) for token in tokens):
        assert [token.text for token in tokens] == shlex.split(line)


@pytest.mark.parametrize("text", ["a'b'", 'a"b"', "-x'b'", "a/'b'", "a=b'c'"])
def test_a_quote_within_a_word_is_refused(text: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        read_tokens(text)
    assert refused.value.code == "charset"
