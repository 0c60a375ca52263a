"""Words of texts and of code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.seek.tokens import LONGEST, parts, stem, words

pytestmark = pytest.mark.req("E-10")
TEXTS = st.text(alphabet=st.characters(codec="utf-8"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a - b + 1 !", []),
        ("wait_seconds", ["wait", "second", "waitseconds"]),
        ("RetryPolicy.at", ["retry", "policy", "retrypolicy", "at", "retrypolicy.at"]),
        ("getHTTPResponse2", ["get", "http", "response2", "gethttpresponse2"]),
        ("x86_64 IPv6", ["x86", "64", "x8664", "pv6", "ipv6"]),
        ("--- a/src/policy.py", ["src", "policy", "py", "policy.py"]),
        ("libfoo-dev 3.12", ["libfoo", "dev", "libfoodev", "12", "3.12"]),
        ("SHA256 sha256 Utf8", ["sha256", "sha256", "utf8"]),
        ("MAX_RETRIES = 10", ["max", "retry", "maxretries", "10"]),
        ("retries retried retrying retry", ["retry"] * 4),
        ("cache caches cached caching", ["cach"] * 4),
        ("stopped stopping stops", ["stop"] * 3),
        ("class status analysis process", ["class", "status", "analysis", "process"]),
        ("string bring", ["string", "bring"]),
        ("feed speed need", ["feed", "speed", "need"]),
        ("7d342e9a1b fixes 943e006", ["7d342e9a1b", "fix", "943e006"]),
        ("Größe ÜBER_ALLE", ["grösse", "über", "alle"]),
        ("证据包规范", ["证据", "据包", "包规", "规范"]),
        ("索引index索", ["索引", "index", "索"]),
        ("ﬁle", ["fil"]),
        ("__init__", ["init"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(TEXTS)
def test_every_word_is_one_that_can_be_looked_up(text: str) -> None:
    for word in words(text):
        assert 0 < len(word) <= 2 * LONGEST
        assert "\0" not in word
        assert word.strip() == word


@given(TEXTS, TEXTS)
def test_texts_side_by_side_have_the_words_of_both(one: str, other: str) -> None:
    assert words(f"{one}\n{other}") == words(one) + words(other)


@given(st.from_regex(r"[a-z]{1,20}", fullmatch=True))
def test_a_stem_is_its_own_stem(word: str) -> None:
    found = stem(word)
    assert stem(found) == found
    assert found


@given(st.lists(st.from_regex(r"[a-z]{2,9}", fullmatch=True), min_size=1, max_size=4))
def test_however_an_identifier_is_written_its_words_are_the_same(pieces: list[str]) -> None:
    snake, camel = "_".join(pieces), "".join(map(str.title, pieces))
    whole = ["".join(pieces)] if len(pieces) > 1 else []
    assert parts(snake) == parts(camel) == parts(snake.upper()) == (*map(stem, pieces), *whole)
    assert words("-".join(pieces)) == words(snake)
