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

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_PLACE = re.compile(rf"\$(?:\$|(goal)(?![A-Za-z0-9_])|\{{({NAME.pattern})\}}|\{{)")


def names_in(text: str) -> set[str]:
    """Return every name that ``text`` needs a value for."""
    return {match[1] or match[2] for match in _PLACE.finditer(text) if match[1] or match[2]}


def is_malformed(text: str) -> bool:
    """Whether a ``${`` is followed by something other than a name and ``}``."""
    return any(match[0] == "${" for match in _PLACE.finditer(text))


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
