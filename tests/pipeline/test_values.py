"""Bare values and kinds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.graph import AttributeKind, AttributeValue, Duration
from custody.pipeline.values import EXPECTED, bare_value, is_kind, number, written


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("box", "box"),
        ("True", "True"),
        ("true", True),
        ("false", False),
        ("3", 3),
        ("-3", -3),
        ("0", 0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-0.25", -0.25),
        ("250ms", Duration(seconds=0.25)),
        ("90s", Duration(seconds=90)),
        ("15m", Duration(seconds=900)),
        ("2h", Duration(seconds=7200)),
        ("1d", Duration(seconds=86400)),
        ("1.5h", Duration(seconds=5400)),
        ("4G", "4G"),
        ("64K", "64K"),
    ],
)
def test_a_bare_word_has_a_type(word: str, value: AttributeValue) -> None:
    read = bare_value(word)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    "word",
    ["007", "1e5", "-5s", "3x", "1.2.3", ".", "9" * 5000, "1-2", "-.s", "4GB", "-4G", "1.5G"],
)
def test_what_only_looks_like_a_number_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        bare_value(word)


@pytest.mark.parametrize(
    ("value", "kinds"),
    [
        ("x", "string list node"),
        ("3", "string list node integer float duration size"),
        ("-3", "string list node integer float"),
        ("0.5", "string list node float duration"),
        ("true", "string list node boolean"),
        ("15m", "string list node duration"),
        ("4G", "string list node size"),
        ("4g", "string list node"),
        ("nan", "string list node"),
        (True, "boolean"),
        (3, "string list node integer float duration size"),
        (-3, "string list node integer float"),
        (0.5, "float duration"),
        (-0.5, "float"),
        (Duration(seconds=1), "duration"),
    ],
)
def test_a_quoted_value_counts_as_what_it_says(value: AttributeValue, kinds: str) -> None:
    assert {kind for kind in EXPECTED if is_kind(value, kind)} == set(kinds.split())


WORDS = r"-?(0|[1-9][0-9]{0,17})|[0-9]{1,9}\.[0-9]{0,18}|true|false|[0-9]{1,9}(ms|[smhd])"


@given(st.from_regex(WORDS, fullmatch=True, alphabet=st.characters(codec="ascii")))
def test_what_is_written_reads_the_same(word: str) -> None:
    value = bare_value(word)
    assert bare_value(written(value)) == value


@given(st.text(), st.sampled_from(sorted(EXPECTED)))
def test_a_quoted_number_has_a_number(text: str, kind: AttributeKind) -> None:
    if kind in {"integer", "float", "duration", "size"} and is_kind(text, kind):
        assert isinstance(number(text), float)
