"""The end of a content is quoted verbatim, and where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.evidence.excerpt import as_text
from custody.evidence.tail import last_lines
from custody.model.reference import EXCERPT_CHARACTERS, EXCERPT_LINES


@given(
    st.one_of(
        st.binary(max_size=300),
        st.lists(st.sampled_from(["\n", "line\n", "é" * 300, "x" * 1999, "\udcff"])).map(
            lambda parts: "".join(parts).encode(errors="surrogateescape")
        ),
    )
)
@pytest.mark.req("E-01")
def test_it_is_found_where_it_says_and_short_enough(data: bytes) -> None:
    found = last_lines(data)
    begin, end = found.bytes
    assert as_text(data[begin:end]) == found.excerpt
    assert data[end:].strip(b"\n") == b"", "it ends with the last line that is not empty"
    assert len(found.excerpt) <= EXCERPT_CHARACTERS
    assert found.excerpt.removesuffix("\n").count("\n") < EXCERPT_LINES
    assert found.lines[0] == data[:begin].count(b"\n") + 1


def test_the_last_lines_are_shown_and_not_the_first() -> None:
    found = last_lines(b"".join(b"%d\n" % number for number in range(100)))
    assert found.excerpt.splitlines() == [str(number) for number in range(75, 100)]
    assert found.lines == (76, 100)


def test_a_line_that_alone_is_too_long_is_cut_between_characters() -> None:
    found = last_lines(b"first\n" + ("é" * 3000).encode())
    assert found.excerpt == "é" * EXCERPT_CHARACTERS
    assert found.lines == (2, 2)


def test_lines_are_whole_where_they_can_be() -> None:
    found = last_lines(b"".join(b"%03d%s\n" % (number, b"." * 296) for number in range(10)))
    assert found.excerpt.startswith("004.")
