"""How a known value may be spelt: as it is, base64 (two alphabets), percent, hex, in JSON."""

from __future__ import annotations

from collections.abc import Iterator

_URL_ALPHABET = str.maketrans("+/", "-_")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def spellings(value: str) -> tuple[str, ...]:
    """Return every spelling once, as latin-1 text of its UTF-8 bytes."""
    return tuple(dict.fromkeys(_spellings(value.encode("utf-8", "surrogatepass"))))


def _spellings(data: bytes) -> Iterator[str]:
    import json

    yield data.decode("latin-1")
    yield json.dumps(data.decode("utf-8", "replace"))[1:-1]
    yield json.dumps(data.decode("latin-1"), ensure_ascii=False)[1:-1]
    for core in _base64_cores(data):
        yield core
        yield core.translate(_URL_ALPHABET)
    for form in ("%{:02X}", "%{:02x}"):
        yield "".join(chr(b) if b in _UNRESERVED else form.format(b) for b in data)
        yield "".join(form.format(b) for b in data)
    yield data.hex()
    yield data.hex().upper()


def _base64_cores(data: bytes) -> Iterator[str]:
    """Yield, for each place in a group of three, the digits that depend on the value alone."""
    import binascii

    for offset, shared in ((0, 0), (1, 2), (2, 3)):
        text = binascii.b2a_base64(bytes(offset) + data, newline=False).decode()
        yield text[shared : (offset + len(data)) * 8 // 6]
