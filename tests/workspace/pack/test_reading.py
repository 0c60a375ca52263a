"""Pieces of a file, compared with what one gets by reading all of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.workspace.pack import reading
from custody.workspace.pack.reading import NoRoom, beginning, lines, measured

_T = TypeVar("_T")
TEXTS = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from([b"a\n", b"\r", b"\n", "ä€😀".encode(), b"\xf0\x9f", b"\xe2"])).map(
        b"".join
    ),
)


def of_file(data: bytes, use: Callable[[int], _T]) -> _T:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        return use(file.fileno())


@given(TEXTS, st.integers(0, 120))
def test_a_beginning_is_the_longest_that_fits(data: bytes, room: int) -> None:
    found = of_file(data, lambda fd: beginning(fd, len(data), room))
    text = data.decode(errors="replace")
    assert text.startswith(found.text)
    assert len(found.text.encode()) == found.size <= room
    assert found.cut == (found.text != text)
    if found.cut and len(data) <= room:
        following = text[len(found.text)]
        assert found.size + len(following.encode()) > room


def test_no_byte_beyond_the_room_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = os.pread

    def counted(descriptor: int, size: int, place: int) -> bytes:
        asked.append(place + size)
        return real(descriptor, size, place)

    monkeypatch.setattr(os, "pread", counted)
    of_file(b"x" * 1000, lambda fd: beginning(fd, 1000, 10))
    assert asked == [10]


@given(TEXTS, st.integers(0, 200), st.integers(1, 7))
def test_a_whole_file_is_measured_in_pieces(data: bytes, keep: int, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_CHUNK", chunk)
        found = of_file(data, lambda fd: measured(fd, keep))
    text = data.decode(errors="replace")
    assert found.size == len(text.encode())
    assert found.text == (text if found.size <= keep else "")


@given(
    TEXTS,
    st.lists(st.tuples(st.integers(-2, 12), st.integers(0, 9)), min_size=1, max_size=4),
    st.integers(1, 7),
)
def test_lines_are_those_that_splitting_gives(
    data: bytes, ranges: list[tuple[int, int]], chunk: int
) -> None:
    wanted = [(first, first + more) for first, more in ranges]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_CHUNK", chunk)
        found = of_file(data, lambda fd: lines(fd, wanted, 10_000))
    every = [line for line in data.split(b"\n") if line or data]
    if data.endswith(b"\n"):
        every.pop()
    rows = [line + b"\n" for line in every]
    if rows and not data.endswith(b"\n"):
        rows[-1] = rows[-1][:-1]
    assert b"".join(rows) == data
    for (first, last), piece in zip(wanted, found, strict=True):
        low, high = (min(max(number, 1), len(rows)) for number in (first, last))
        expected = b"".join(rows[max(low - 1, 0) : high]).decode(errors="replace")
        assert (piece.text, piece.lines) == (expected, (low, high))
        assert piece.size == len(expected.encode())


@given(TEXTS, st.integers(1, 5), st.integers(0, 5), st.integers(0, 40))
def test_lines_that_do_not_fit_are_refused(data: bytes, first: int, more: int, room: int) -> None:
    wanted = [(first, first + more)]
    whole = of_file(data, lambda fd: lines(fd, wanted, 10_000))
    if sum(piece.size for piece in whole) <= room:
        assert of_file(data, lambda fd: lines(fd, wanted, room)) == whole
    else:
        with pytest.raises(NoRoom):
            of_file(data, lambda fd: lines(fd, wanted, room))
