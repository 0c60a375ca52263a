"""Contents that are no text, whole and as deltas."""

from __future__ import annotations

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.patch import LIMIT, Binary
from custody.patch.binary import (
    NO_ID,
    object_id,
    read_binary,
    result_of,
    write_binary,
)
from custody.patch.cursor import PatchCursor

IDS = ("1" * 40, "2" * 40)
OLD = b"0123456789" * 10_000


def delta(*parts: bytes, old: int, new: int) -> Binary:
    return Binary("delta", size(old) + size(new) + b"".join(parts), *IDS)


def size(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes([*found, value])


def data_of(method: str, data: bytes, length: int | None = None, behind: bytes = b"") -> bytes:
    packed = base64.b85encode(zlib.compress(data) + behind, pad=True)
    count = len(zlib.compress(data) + behind)
    letter = bytes([64 + count]) if count <= 26 else bytes([70 + count])
    length = len(data) if length is None else length
    return b"GIT binary patch\n%s %d\n%s%s\n\n" % (method.encode(), length, letter, packed)


def read(data: bytes) -> Binary:
    return read_binary(PatchCursor(data, ""), IDS)


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_what_is_written_is_read(before: bytes, after: bytes) -> None:
    cursor = PatchCursor(write_binary(before, after) + b"next\n", "")
    found = read_binary(cursor, (object_id(before), object_id(after)))
    assert (found.method, result_of(found, before)) == ("literal", after)
    assert cursor.line == b"next"


def test_the_way_back_may_be_missing() -> None:
    assert read(data_of("literal", b"x")).data == b"x"


def test_an_object_is_named_as_git_names_it() -> None:
    assert object_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert len(NO_ID) == len(object_id(b""))


def test_a_delta_copies_and_inserts() -> None:
    copy = bytes([0x80 | 0x01 | 0x10, 3, 4])
    whole = bytes([0x80 | 0x10 | 0x20, 0x10, 0x27])
    default = bytes([0x80])
    far = bytes([0x80 | 0x01 | 0x02 | 0x04 | 0x10, 0xA0, 0x86, 0x01, 0])
    made = delta(copy, b"\x02hi", whole, default, old=len(OLD), new=4 + 2 + 10_000 + 65_536)
    assert result_of(made, OLD) == b"3456hi" + OLD[:10_000] + OLD[:65_536]
    with pytest.raises(MalformedDocument, match="beyond"):
        result_of(delta(far, old=len(OLD), new=65_536), OLD)


@pytest.mark.parametrize(
    ("binary", "reason"),
    [
        (delta(b"\x01x", old=9, new=1), "another content"),
        (delta(b"\x01x", old=3, new=2), "more or less"),
        (delta(b"\x02xy", old=3, new=1), "more or less"),
        (delta(b"\x05x", old=3, new=1), "beyond"),
        (delta(b"\x00", old=3, new=1), "beyond"),
        (delta(b"\x91\x02\x02", old=3, new=2), "beyond"),
        (delta(b"\xff", old=3, new=2), "beyond"),
        (Binary("delta", b"\x80" * 40, *IDS), "another content"),
        (delta(b"\x01x", old=3, new=LIMIT + 1), "another content"),
    ],
)
def test_a_delta_that_is_wrong(binary: Binary, reason: str) -> None:
    with pytest.raises(MalformedDocument, match=reason):
        result_of(binary, b"old")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"GIT binary patch\nx 1\n\n", "is not binary data"),
        (b"GIT binary patch\n", "the patch ends"),
        (data_of("literal", b"x")[:-1], "the patch ends where an empty line"),
        (data_of("literal", b"x", 2), "does not unfold to 2 bytes"),
        (data_of("literal", b"xyz", 2), "does not unfold to 2 bytes"),
        (data_of("delta", b"\x80"), "two sizes"),
        (data_of("delta", size(1) + size(LIMIT)), "unfolds to more than"),
        (data_of("literal", b"", LIMIT + 1), "unfolds to more than"),
        (b"GIT binary patch\nliteral 1\nA\n\n", "a line of binary data"),
        (b"GIT binary patch\nliteral 1\n?abcde\n\n", "a line of binary data"),
        (b"GIT binary patch\nliteral 1\nE12345\n\n", "a line of binary data"),
        (b"GIT binary patch\nliteral 1\nA1234,\n\n", "a line of binary data"),
        (b"GIT binary patch\nliteral 1\nD~~~~~\n\n", "a line of binary data"),
        (b"GIT binary patch\nliteral 1\nD12345\n\n", "does not unfold"),
        (data_of("literal", b"x", behind=b"more"), "does not unfold to 1 bytes"),
    ],
)
def test_data_that_is_wrong(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedDocument, match=reason):
        read(data)


def test_data_unfolds_to_no_more_than_it_says() -> None:
    """A bomb is not unfolded to see how large it is."""
    with pytest.raises(MalformedDocument, match="does not unfold to 5 bytes"):
        read(data_of("literal", bytes(30_000), 5))
