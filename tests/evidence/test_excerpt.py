"""A quote is as long as it may be, and is found where it was taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.evidence import excerpt

BYTES = st.binary(max_size=300) | st.text(max_size=100).map(
    lambda text: text.encode(errors="replace")
)


@given(data=BYTES, begin=st.integers(0, 300))
def test_a_quote_stands_where_it_was_taken(data: bytes, begin: int) -> None:
    begin = min(begin, len(data))
    taken = excerpt.quote(data, begin)
    assert excerpt.stands_at(data, taken.excerpt, taken.bytes)
    assert excerpt.lines_of(data, *taken.bytes) == taken.lines
    if taken.excerpt:
        found = excerpt.find(data, taken.excerpt, begin)
        assert found is not None
        assert as_read(data, found) == taken.excerpt


def as_read(data: bytes, place: tuple[int, int]) -> str:
    return excerpt.as_text(data[slice(*place)])


@pytest.mark.parametrize(
    ("data", "characters"),
    [
        (b"a\n" * 30, 50),
        (b"a" * 2001, 2000),
        (b"a" * 1000 + b"\n" + b"b" * 1500, 1001),
        ("é".encode() * 2001, 2000),
        ("😀".encode() * 2001, 2000),
        (b"x" + "😀".encode() * 2001, 2000),
        (b"\xff" * 2001, 2000),
        (b"\n" * 24 + b"x" * 3000, 24),
        (b"\n" + "😀".encode() * 1999 + b"x", 1),
        (b"one\ntwo", 7),
        (b"", 0),
    ],
)
@pytest.mark.req("E-01")
def test_a_quote_is_as_long_as_it_may_be(data: bytes, characters: int) -> None:
    taken = excerpt.quote(data)
    assert len(taken.excerpt) == characters
    assert excerpt.as_text(data).startswith(taken.excerpt)


def test_lines_are_counted_by_newlines_alone() -> None:
    data = b"a\rb\x0cc\n\xe2\x80\xa8d\ne"
    assert excerpt.lines_of(data, 0, len(data)) == (1, 3)
    assert excerpt.lines_of(data, 0, 6) == (1, 1)
    assert excerpt.lines_of(data, 6, 6) == (2, 2)


def test_what_is_no_utf_8_is_found_by_its_place() -> None:
    data = b"caf\xe9 or caf\xe8, \xf0\x9f\x98"
    assert excerpt.as_text(data) == "caf\ufffd or caf\ufffd, \ufffd\ufffd\ufffd"
    assert excerpt.find(data, "caf\ufffd,") == (8, 13)
    assert excerpt.find(data, "\ufffd" * 3) == (14, 17)
    assert excerpt.find(data, "\ufffd" * 4) is None
    assert excerpt.find(data, "\udce9") is None


@pytest.mark.parametrize("place", [(-1, 2), (2, 1), (0, 4), (0, 2), (3, 99)])
def test_a_wrong_place_is_none(place: tuple[int, int]) -> None:
    assert not excerpt.stands_at(b"abc", "abc", place)


def test_a_line_begins_after_a_newline() -> None:
    assert [excerpt.begin_of_line(b"a\nb\n", number) for number in (1, 2, 3, 4)] == [0, 2, 4, None]


def test_half_a_character_stands_nowhere() -> None:
    assert excerpt.find("\ud800".encode(errors="surrogatepass"), "\ud800") is None
