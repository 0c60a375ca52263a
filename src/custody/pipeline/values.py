"""What a bare word means as a value, and whether a value is of a kind."""

from __future__ import annotations

from custody.model.graph import AttributeKind, AttributeValue, Duration
from custody.model.limits import parse_size
from custody.patterns import later

_INTEGER = later(r"-?(?:0|[1-9][0-9]{0,17})")
_FLOAT = later(r"-?(?:[0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18})")
_SIZE = later(r"[0-9]{1,15}[KMGT]")
_CONSTANTS = {"true": True, "false": False}

EXPECTED: dict[AttributeKind, str] = {
    "string": "a text",
    "integer": "a whole number",
    "float": "a number",
    "boolean": "true or false",
    "duration": "a duration such as 90s or 15m",
    "size": "a size such as 512M or 4G",
    "list": "a text with commas between its entries",
    "node": "the name of a node",
}
"""Each kind in words."""


def bare_value(word: str) -> AttributeValue:
    """Return the value of a bare word; raises `ValueError` with the reason."""
    if word[0].isalpha() or word[0] == "_":
        return _CONSTANTS.get(word, word)
    if _INTEGER.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word):
        return float(word)
    if _SIZE.fullmatch(word):
        return word  # a text, as if it stood in quotes
    if word[-1].isalpha():
        return Duration.parse(word)
    raise ValueError(word)


def is_kind(value: AttributeValue, kind: AttributeKind) -> bool:
    """Whether ``value`` can be used as ``kind``.

    A quoted value counts as what stands between the quotes, because DOT knows no other way to
    write a duration. A whole number counts as a text: it reads the same either way.
    """
    if isinstance(value, str):
        return kind in {"string", "list", "node"} or _is_written(value, kind)
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, Duration):
        return kind == "duration"
    if isinstance(value, int):
        return kind != "boolean" and (kind not in {"duration", "size"} or value >= 0)
    return kind == "float" or (kind == "duration" and value >= 0)


def number(value: AttributeValue) -> float:
    """Return a value of a numeric kind as a number; a duration as its seconds."""
    if isinstance(value, str):
        if _INTEGER.fullmatch(value) or _FLOAT.fullmatch(value):
            return float(value)
        if _SIZE.fullmatch(value):
            return float(parse_size(value))
        return Duration.parse(value).seconds
    return value.seconds if isinstance(value, Duration) else float(value)


def written(value: AttributeValue) -> str:
    """Return a value as a pipeline's author would write it, without quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if isinstance(value, float) and "e" in text:
        return f"{value:.18f}".rstrip("0")
    return text


def _is_written(text: str, kind: AttributeKind) -> bool:
    if kind == "boolean":
        return text in _CONSTANTS
    if kind == "integer":
        return _INTEGER.fullmatch(text) is not None
    if kind == "float":
        return (_INTEGER.fullmatch(text) or _FLOAT.fullmatch(text)) is not None
    parse = parse_size if kind == "size" else Duration.parse
    try:
        parse(text)
    except ValueError:
        return False
    return True
