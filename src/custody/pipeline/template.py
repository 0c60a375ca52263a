"""Names inside prompts and contents.

``$goal`` and ``${name}`` stand for values, ``$$`` for one dollar sign; any other ``$x`` is
ordinary text. Values are put in as they are: what looks like a name inside a value stays text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from custody.errors import UsageError

RESERVED = ("goal", "run_id")
"""Names that every run knows."""

TEMPLATES = ("prompt", "content")
"""Attributes whose text is a template."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_PLACE = re.compile(rf"\$(?:\$|(goal)(?![A-Za-z0-9_])|\{{({NAME.pattern})\}}|\{{)")


def names_in(text: str) -> set[str]:
    """Return every name that ``text`` needs a value for."""
    return look_into(text)[0]


def look_into(text: str) -> tuple[set[str], bool]:
    """Return the names, and whether a ``${`` lacks its name or its ``}``."""
    names: set[str] = set()
    malformed = False
    for match in _PLACE.finditer(text) if "$" in text else ():
        name = match[1] or match[2]
        if name:
            names.add(name)
        malformed = malformed or match[0] == "${"
    return names, malformed


def expand(text: str, values: Mapping[str, str]) -> str:
    """Return ``text`` with its names replaced; raises `UsageError` when a value is missing."""

    def replacement(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name is None:
            return "$" if match[0] == "$$" else match[0]
        if name not in values:
            raise UsageError(f"no value for ${{{name}}}", hint=f"set it with --set {name}=…")
        return values[name]

    return _PLACE.sub(replacement, text) if "$" in text else text
