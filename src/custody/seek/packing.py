"""Rising numbers as few bytes: what a posting says of the pieces, and which words a source has."""

from __future__ import annotations

from collections.abc import Iterable

_MORE = 0x80


def pack(numbers: Iterable[int]) -> bytes:
    """Return numbers from 0 on, seven bits in a byte."""
    found = bytearray()
    for number in numbers:
        left = number
        while left >= _MORE:
            found.append(left & 0x7F | _MORE)
            left >>= 7
        found.append(left)
    return bytes(found)


def unpack(data: bytes) -> list[int]:
    """Return the numbers of `pack`."""
    if data.isascii():
        return list(data)
    found, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < _MORE:
            found.append(number)
            number = shift = 0
    return found


def pack_rising(numbers: Iterable[int]) -> bytes:
    """Return numbers that never fall, each by its distance from the one before."""
    before, steps = 0, []
    for number in numbers:
        steps.append(number - before)
        before = number
    return pack(steps)


def unpack_rising(data: bytes) -> list[int]:
    """Return the numbers of `pack_rising`."""
    total, found = 0, []
    for step in unpack(data):
        total += step
        found.append(total)
    return found
