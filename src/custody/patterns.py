"""Patterns that are compiled when they are first used.

Compiling all patterns of the modules that a run loads takes as long as a quarter of the run of
three nodes, and most of them are for texts that no run of the kind ever meets.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def later(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the pattern ``text``; a mistake in it shows when it is first used."""
    return cast("re.Pattern[AnyStr]", _Later(text, flags))


class _Later:
    """Takes each attribute from the compiled pattern when it is asked for, and keeps it."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._given = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.pattern, self._given), name)
        setattr(self, name, value)
        return value
