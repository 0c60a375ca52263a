"""Numbers as few bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from custody.seek.packing import pack, pack_rising, unpack, unpack_rising

NUMBERS = st.lists(st.integers(min_value=0, max_value=1 << 60))


@given(NUMBERS)
def test_numbers_come_back(numbers: list[int]) -> None:
    assert unpack(pack(numbers)) == numbers


@given(NUMBERS)
def test_rising_numbers_come_back(numbers: list[int]) -> None:
    assert unpack_rising(pack_rising(sorted(numbers))) == sorted(numbers)


def test_small_numbers_take_one_byte() -> None:
    assert pack([0, 1, 127, 128]) == b"\x00\x01\x7f\x80\x01"
    assert len(pack_rising(range(1000, 2000))) == 1001
