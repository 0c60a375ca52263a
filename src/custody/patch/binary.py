"""Contents that are no text: git's base 85 over zlib, whole (``literal``) or as a ``delta``.

A line holds at most 52 bytes; its first letter says how many: ``A`` to ``Z`` for 1 to 26, ``a`` to
``z`` for 27 to 52. A delta says how long the old content is and the new one, and then how the new
one is put together: from pieces of the old one and from bytes of its own.
"""

from __future__ import annotations

import base64
import hashlib
import re
import string
import zlib
from collections.abc import Iterator
from typing import Literal, NamedTuple

from custody.errors import MalformedDocument
from custody.patch import LIMIT, Binary
from custody.patch.cursor import PatchCursor

START = b"GIT binary patch"
NO_ID = "0" * 40

_LINE = 52
_GROUP = 4
_LENGTHS = string.ascii_uppercase.encode() + string.ascii_lowercase.encode()
_HEAD = re.compile(rb"(literal|delta) ([0-9]{1,12})")
_ID = re.compile(r"[0-9a-f]{40}")
_COPY = 0x80
_DEFAULT_COPY = 0x10000
_SIZE_BYTES = 18
"""Of two sizes, each below 2 to the power of 63."""


class _Data(NamedTuple):
    method: Literal["literal", "delta"]
    data: bytes


def object_id(content: bytes) -> str:
    """Return git's name of a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def read_binary(cursor: PatchCursor, ids: tuple[str, str] | None) -> Binary:
    """Read the data of one file: the way there, and the way back where it is told."""
    if ids is None or not all(_ID.fullmatch(name) for name in ids):
        raise cursor.malformed("binary data needs an index line with whole object names above it")
    cursor.take()
    there = _read_data(cursor)
    if there is None:
        raise cursor.unexpected("binary data: 'literal' or 'delta' with a size")
    _read_data(cursor)
    return Binary(there.method, there.data, *ids)


def write_binary(before: bytes, after: bytes) -> bytes:
    """Return the data of one file, both ways."""
    return START + b"\n" + _write_data(after) + _write_data(before)


def result_of(binary: Binary, content: bytes) -> bytes:
    """Return the new content; raises `MalformedDocument` when the delta is wrong."""
    return binary.data if binary.method == "literal" else _apply_delta(binary.data, content)


def _read_data(cursor: PatchCursor) -> _Data | None:
    head = _HEAD.fullmatch(cursor.line or b"")
    if head is None:
        return None
    number, size = cursor.number, int(head[2])
    cursor.unfold(size)
    cursor.take()
    data = _inflate(_read_lines(cursor), size)
    if data is None:
        raise cursor.malformed(f"the binary data does not unfold to {size} bytes", number)
    if head[1] == b"literal":
        return _Data("literal", data)
    sizes = _delta_sizes(data)
    if sizes is None:
        raise cursor.malformed("the delta does not begin with two sizes", number)
    cursor.unfold(sizes[1])
    return _Data("delta", data)


def _read_lines(cursor: PatchCursor) -> bytes:
    pieces: list[bytes] = []
    while cursor.line:
        piece = _decode(cursor.line)
        if piece is None:
            raise cursor.unexpected("a line of binary data")
        pieces.append(piece)
        cursor.take()
    if cursor.line is None:
        raise cursor.unexpected("an empty line after binary data")
    cursor.take()
    return b"".join(pieces)


def _decode(line: bytes) -> bytes | None:
    length = _LENGTHS.find(line[:1]) + 1
    groups = -(-length // _GROUP)
    if not length or len(line) != 1 + 5 * groups:
        return None
    try:
        return base64.b85decode(line[1:])[:length]
    except ValueError:
        return None


def _inflate(data: bytes, size: int) -> bytes | None:
    """Return what unfolds to exactly ``size`` bytes and holds nothing else; None if it does not."""
    stream = zlib.decompressobj()
    try:
        unfolded = stream.decompress(data, size + 1)
    except zlib.error:
        return None
    whole = stream.eof and not stream.unused_data and len(unfolded) == size
    return unfolded if whole else None


def _write_data(content: bytes) -> bytes:
    packed = zlib.compress(content)
    lines = [
        _LENGTHS[len(piece) - 1 : len(piece)] + base64.b85encode(piece, pad=True)
        for piece in (packed[at : at + _LINE] for at in range(0, len(packed), _LINE))
    ]
    return b"\n".join((b"literal %d" % len(content), *lines, b"", b""))


def _delta_sizes(data: bytes) -> tuple[int, int, int] | None:
    """Return the sizes before and after, and where the delta begins; None if they are none."""
    sizes: list[int] = []
    value = shift = 0
    for at, byte in enumerate(data[:_SIZE_BYTES]):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte & _COPY:
            continue
        sizes.append(value)
        if len(sizes) > 1:
            return sizes[0], sizes[1], at + 1
        value = shift = 0
    return None


def _apply_delta(data: bytes, content: bytes) -> bytes:
    sizes = _delta_sizes(data)
    if sizes is None or sizes[0] != len(content) or sizes[1] > LIMIT:
        raise MalformedDocument("patch", "the delta belongs to another content")
    result = bytearray()
    for piece in _delta_pieces(data, sizes[2], content):
        result += piece
        if len(result) > sizes[1]:
            break
    if len(result) != sizes[1]:
        raise MalformedDocument("patch", "the delta makes more or less than it says")
    return bytes(result)


def _delta_pieces(data: bytes, at: int, content: bytes) -> Iterator[bytes]:
    while at < len(data):
        code = data[at]
        at += 1
        if code & _COPY:
            given = [bit for bit in range(7) if code >> bit & 1]
            values = dict(zip(given, data[at : at + len(given)], strict=False))
            start = sum(values.get(bit, 0) << 8 * bit for bit in range(4))
            size = sum(values.get(bit, 0) << 8 * (bit - 4) for bit in range(4, 7))
            size = size or _DEFAULT_COPY
            piece = content[start : start + size]
            at += len(given)
        else:
            size = code
            piece = data[at : at + size]
            at += size
        if not size or at > len(data) or len(piece) != size:
            raise MalformedDocument("patch", "the delta reaches beyond a content")
        yield piece
