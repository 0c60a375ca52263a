"""How a known value may be spelt: whoever writes it down in one of these ways writes it down."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.guards.encodings import spellings


def found(value: str, text: bytes) -> bool:
    """Whether a text, as bytes, holds a spelling of the value."""
    return any(spelling in text.decode("latin-1") for spelling in spellings(value))


@pytest.mark.parametrize(
    "value", ["hunter2hunter2", "p/ss+w?rd~é", "line\nbreak\ttab", 'a"b\\c', 'é"b\\c']
)
def test_every_usual_way_to_write_a_value(value: str) -> None:
    data = value.encode()
    for text in (
        data,
        data.hex().encode(),
        data.hex().upper().encode(),
        base64.b64encode(data),
        base64.urlsafe_b64encode(data),
        quote(value, safe="").encode(),
        quote(value, safe="").lower().encode() if value.islower() else data,
        "".join(f"%{byte:02X}" for byte in data).encode(),
        json.dumps(value).encode(),
        json.dumps(value, ensure_ascii=False).encode(),
    ):
        assert found(value, b"before " + text + b" after")


@given(st.text(min_size=6, max_size=40), st.binary(max_size=5), st.binary(max_size=5))
def test_base64_of_something_around_it(value: str, before: bytes, after: bytes) -> None:
    """Wherever in a group of three the value begins."""
    whole = before + value.encode() + after
    assert found(value, base64.b64encode(whole))
    assert found(value, base64.urlsafe_b64encode(whole))


@given(st.text(min_size=1))
def test_each_spelling_is_given_once(value: str) -> None:
    given_ones = spellings(value)
    assert len(set(given_ones)) == len(given_ones)
    assert given_ones[0] == value.encode().decode("latin-1")


def test_half_a_surrogate_pair_is_spelt_as_well() -> None:
    assert spellings("a\ud800b")[0] == "a\ud800b".encode("utf-8", "surrogatepass").decode("latin-1")
