"""Tokens: which words there are, and where each of them stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.pipeline.tokens import END, ODD, TEXT, WORD, Tokenizer, unescape


def tokens(text: str) -> list[tuple[str, str]]:
    scan, found = Tokenizer(text), []
    while scan.kind != END:
        found.append((scan.kind, scan.value))
        scan.advance()
    return found


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node_a edge_case", [(WORD, "node_a"), (WORD, "edge_case")]),
        ("a->b", [(WORD, "a"), ("->", "->"), (WORD, "b")]),
        ("a--b", [(WORD, "a"), ("--", "--"), (WORD, "b")]),
        ("a-b c.d-", [(WORD, "a-b"), (WORD, "c.d-")]),
        ("-1 -.5 15m", [(WORD, "-1"), (WORD, "-.5"), (WORD, "15m")]),
        ('"--flag -> x"', [(TEXT, "--flag -> x")]),
        ('"// no" "/* no */" "# no"', [(TEXT, "// no"), (TEXT, "/* no */"), (TEXT, "# no")]),
        ('"two\nlines"', [(TEXT, "two\nlines")]),
        ("a // c -> d\nb", [(WORD, "a"), (WORD, "b")]),
        ("a /* c\n * d **/ b", [(WORD, "a"), (WORD, "b")]),
        ("# c\na\n  # d\nb", [(WORD, "a"), (WORD, "b")]),
        ("a # b", [(WORD, "a"), (ODD, "#"), (WORD, "b")]),
        ("grün", [(WORD, "gr"), (ODD, "ü"), (WORD, "n")]),
        ("a\u00a0b", [(WORD, "a"), (ODD, "\u00a0"), (WORD, "b")]),
    ],
)
def test_splits_a_text(text: str, expected: list[tuple[str, str]]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"say \"hi\"", 'say "hi"'),
        (r"a\\b", r"a\b"),
        (r"\\n is not a line", r"\n is not a line"),
        (r"line\nline\tend", "line\nline\tend"),
        (r"\d+\.\w \l \N", r"\d+\.\w \l \N"),
        ("a\\\nb", "a\\\nb"),
    ],
)
def test_knows_four_escapes_and_leaves_other_backslashes(written: str, value: str) -> None:
    assert tokens(f'"{written}"') == [(TEXT, value)]


@given(st.text())
def test_escaping_quotes_and_backslashes_keeps_any_text(text: str) -> None:
    assert unescape(text.replace("\\", "\\\\").replace('"', '\\"')) == text


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    ("text", "offset"), [('a "b\nc', 2), ('"a" "', 4), ("a /* b", 2), ('"a\\"', 0)]
)
def test_says_where_an_unclosed_text_began(text: str, offset: int) -> None:
    scan = Tokenizer(text)
    while scan.kind != END:
        scan.advance()
    assert scan.failure is not None
    assert scan.failure[0] == offset


def test_gives_lines_and_columns_in_characters() -> None:
    scan = Tokenizer('ab\n\té "x"\r\nz')
    places = [(p.line, p.column) for p in map(scan.position, (0, 2, 3, 6, 11, 12))]
    assert places == [(1, 1), (1, 3), (2, 1), (2, 4), (3, 1), (3, 2)]


@given(st.text() | st.text(alphabet='"\\/*# \nab-<>'))
def test_ends_and_moves_forward_whatever_the_text(text: str) -> None:
    scan, last = Tokenizer(text), -1
    while scan.kind != END:
        assert last < scan.start < scan.end <= len(text)
        last = scan.start
        scan.advance()
    assert scan.end == len(text)
