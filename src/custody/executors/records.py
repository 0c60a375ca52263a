"""Reading the JSON lines that an agent prints."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def record_of(line: bytes) -> Json | None:
    """Return the object on this line; None when it is something else, such as a warning."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def part(record: Json, name: str) -> Json:
    """Return an object inside a record; empty when there is none."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def text(record: Json, name: str) -> str:
    """Return a text inside a record; empty when there is none."""
    value = record.get(name)
    return value if isinstance(value, str) else ""


def count(record: Json, *names: str) -> int:
    """Return the sum of whole numbers inside a record."""
    return sum(int(number(record, name)) for name in names)


def number(record: Json, name: str) -> float:
    """Return a number inside a record that is not negative; 0 when there is none."""
    return told(record, name) or 0


def told(record: Json, name: str) -> float | None:
    """Return the same, but None when there is none."""
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value < 1e15 else None  # noqa: PLR2004 - neither NaN nor absurd


def price(record: Json, name: str) -> float | None:
    """Return an amount of money to a millionth; None when there is none."""
    value = told(record, name)
    return None if value is None else round(float(value), 6)


def tokens(record: Json, name: str) -> int | None:
    """Return a number of tokens; None when there is none."""
    value = told(record, name)
    return None if value is None else int(value)
