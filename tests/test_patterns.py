"""Patterns are what `re` makes of them, only later."""

from __future__ import annotations

import re

import pytest

from custody.patterns import later


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    text = later("[a-c]+", re.IGNORECASE)
    assert text.fullmatch("aBc")
    assert text.fullmatch("aBd") is None
    assert text.pattern == "[a-c]+"
    assert text.flags & re.IGNORECASE
    assert later(rb"x(?P<y>.)").sub(rb"\1", b"xyxz") == b"yz"
    assert text.sub("-", "abcd") == text.sub("-", "abcd") == "-d"


def test_it_is_compiled_when_first_used() -> None:
    wrong = later("(")
    with pytest.raises(re.error):
        wrong.match("")


def test_what_was_asked_for_once_is_kept() -> None:
    text = later("a")
    assert text.match is text.match
