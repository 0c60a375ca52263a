"""What a fact may hold when it becomes a journal line: finite numbers, texts that end.

All of it is pure. Whoever derives decisions from a fact that came from outside does so after
`as_recorded`, so that a replay, which sees only the journal, derives the same ones.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, TypeVar

import msgspec

from custody.errors import MalformedDocument
from custody.model.event import AnyFact
from custody.model.record import NESTING_LIMIT, TOO_DEEP, encode, is_too_deep, ready

TEXT_LIMIT = 64 << 10
"""Most bytes of one text in a fact."""
LINE_LIMIT = 16 << 20
"""Most bytes of one journal line."""

_ROOM_FOR_MARK = 160
_LINE_BREAKS = tuple(
    (character.encode(), f"\\u{ord(character):04x}".encode()) for character in "\x85\u2028\u2029"
)
"""What some readers take for the end of a line, although JSON does not ask to escape it."""

_F = TypeVar("_F", bound=AnyFact)


def encoded(fact: AnyFact) -> bytes:
    """Return the fact as the journal keeps it.

    Raises `MalformedDocument` with ``json`` for what JSON cannot say, such as NaN, and with
    ``too_large`` for what is too much even when its texts are cut.
    """
    data = _encode(fact)
    # The encoder writes a number that is not finite as null, which is no number to a reader.
    if b"null" in data and not _is_read_as(data, fact):
        _refuse_not_finite(fact)
    if len(data) > TEXT_LIMIT:
        data = _encode(capped(fact))
        if len(data) > LINE_LIMIT:
            raise MalformedDocument(
                "too_large",
                f"{type(fact).__name__} has {len(data)} bytes; the limit is {LINE_LIMIT}",
            )
    return data


def as_recorded(fact: _F) -> _F:
    """Return the fact as a reader of the journal will see it; raises what `encoded` raises."""
    return msgspec.json.decode(encoded(fact), type=ready(type(fact)))


def capped(fact: _F) -> _F:
    """Return the fact with every text cut that is over the limit; the cut names what was there."""
    whole = msgspec.to_builtins(fact)
    cut = _cut(whole)
    return fact if cut == whole else msgspec.convert(cut, ready(type(fact)))


def _encode(fact: AnyFact) -> bytes:
    try:
        data = encode(fact)
        brackets = data.count(b"[") + data.count(b"{")
        if brackets > NESTING_LIMIT and is_too_deep(msgspec.to_builtins(fact)):
            raise MalformedDocument("json", f"{type(fact).__name__}: {TOO_DEEP}")
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedDocument("json", f"{type(fact).__name__} is not JSON: {error}") from error
    if not data.isascii():
        for character, escape in _LINE_BREAKS:
            data = data.replace(character, escape)
    return data


def _is_read_as(data: bytes, fact: AnyFact) -> bool:
    """Whether a reader gets the same fact; where that is not sure, it is said that it does not."""
    try:
        return bool(msgspec.json.decode(data, type=ready(type(fact))) == fact)
    except msgspec.ValidationError:
        return False


def _refuse_not_finite(fact: AnyFact) -> None:
    waiting = [msgspec.to_builtins(fact)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list | tuple):
            waiting.extend(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise MalformedDocument("json", f"{type(fact).__name__} holds {value}")


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return _cut_text(value)
    if isinstance(value, dict):
        return {_cut(key): _cut(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(item) for item in value]
    return value


def _cut_text(text: str) -> str:
    data = text.encode()
    if len(data) <= TEXT_LIMIT:
        return text
    kept = data[: TEXT_LIMIT - _ROOM_FOR_MARK].decode(errors="ignore")
    return f"{kept}… [cut: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}]"
