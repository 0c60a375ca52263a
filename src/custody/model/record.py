"""How records become bytes, and bytes records.

There is one encoding: UTF-8 JSON, keys in the order of the struct, no blank, no NaN. Decoding
is strict: unknown fields, wrong types, duplicate keys, a byte-order mark and anything that is
not UTF-8 are refused with the path of the field that is wrong.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from custody.errors import MalformedDocument

SCHEMA_VERSION = "1.0"
NESTING_LIMIT = 500
"""Lists and objects inside each other at most; each release of Python has a limit of its own."""
TOO_DEEP = f"maximum recursion depth of {NESTING_LIMIT} exceeded"
_DEEP = b"\n" + b"  " * NESTING_LIMIT
"""What stands in an indented document that may be over the limit."""

_encoder = msgspec.json.Encoder(decimal_format="number")
_T = TypeVar("_T")
_ready: set[object] = set()
_made_ready = threading.Lock()
os.register_at_fork(
    before=_made_ready.acquire,
    after_in_parent=_made_ready.release,
    after_in_child=_made_ready.release,
)


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A frozen value with named fields."""


class Document(Record, frozen=True, kw_only=True):
    """A record that is a file of its own, or a line of one."""

    schema_version: str = SCHEMA_VERSION
    """Version of the file's format; a change in meaning raises at least the minor part."""


encode: Callable[[object], bytes] = _encoder.encode
"""Returns the one encoding of a value."""


def encode_lines(values: Sequence[object]) -> bytes:
    """Return the encoding of each value on a line of its own."""
    return _encoder.encode_lines(values)


def encode_pretty(value: object) -> bytes:
    """Return ``value`` indented, for files that people open; ends with a newline."""
    return msgspec.json.format(encode(value), indent=2) + b"\n"


def ready(kind: _T) -> _T:
    """Return a kind of value, such as a record, that any thread can read now.

    msgspec looks into a kind when it is first asked for it. Another thread that asks meanwhile
    would be given the half of what it knows, and the process would crash.
    """
    if kind not in _ready:
        with _made_ready:
            msgspec.json.Decoder(kind)
            _ready.add(kind)
    return kind


def decode(data: bytes, kind: type[_T], *, where: str, any_text: bool = False) -> _T:
    """Read ``data`` as one ``kind``.

    Raises `MalformedDocument` with code ``encoding``, ``json``, ``duplicate_key`` or ``type``.
    With ``any_text`` a text may hold half a surrogate pair, which JSON can spell and UTF-8
    cannot hold: for documents whose texts a guard will judge.
    """
    kind = ready(kind)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise MalformedDocument(
            "encoding", f"not UTF-8 at byte {error.start}", where=where
        ) from None
    if not any_text and _DEEP not in data and (own := _as_written(data, kind)) is not None:
        return own
    value = _refuse_duplicate_keys(data, where)
    if data.count(b"[") + data.count(b"{") > NESTING_LIMIT and is_too_deep(value):
        raise MalformedDocument("json", TOO_DEEP, where=where)
    try:
        return msgspec.convert(value, kind) if any_text else msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise MalformedDocument("type", str(error), where=where) from None
    except msgspec.DecodeError as error:
        raise MalformedDocument("json", str(error), where=where) from None


def _as_written(data: bytes, kind: type[_T]) -> _T | None:
    """Return the value when ``data`` is what `encode_pretty` makes of it, else None.

    No key can stand twice then, and nothing else need look for one.
    """
    try:
        value = msgspec.json.decode(data, type=kind)
        return value if encode_pretty(value) == data else None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def is_too_deep(value: Any) -> bool:
    """Whether a value of JSON is over `NESTING_LIMIT`."""
    level = [*_inside([value])]
    for _ in range(NESTING_LIMIT):
        level = [inner for item in level for inner in _inside(item)]
    return bool(level)


def _inside(value: Any) -> Iterator[Any]:
    """Return the lists and objects that a list or an object holds."""
    items = value.values() if isinstance(value, dict) else value
    return (item for item in items if isinstance(item, dict | list | tuple))


def _refuse_duplicate_keys(data: bytes, where: str) -> Any:
    """Return the value; the standard library alone can tell that a key stands twice."""
    import json

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        for key, value in pairs:
            if key in seen:
                raise MalformedDocument("duplicate_key", f"key {key!r} stands twice", where=where)
            seen[key] = value
        return seen

    try:
        return json.loads(data, object_pairs_hook=unique, parse_constant=_refuse_constant)
    except ValueError as error:
        raise MalformedDocument("json", str(error), where=where) from None
    except RecursionError:
        raise MalformedDocument("json", TOO_DEEP, where=where) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
