"""Patterns of a tool's log: which are taken, and which lines they find.

They are regular expressions of Python, looked for in each line as a terminal shows it. A carriage
return, and whatever else moves the cursor, begins one as well: tools print how far they are that
way, and then an error. Colours are left out. A longer line is looked through in pieces of
`LINE_LIMIT` characters, each from the middle of the one before it.

Taken are only those that come to an end soon whatever the line holds: a repeated group may not hold
another repeat or a choice, nothing refers back or looks ahead, and there are at most `REPEATS`
open repeats, `OPTIONS` parts that may be missing and `CHOICES` groups with a choice. ``(?i)`` may
stand first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from custody.model.record import Record
from custody.patterns import later

LINE_LIMIT = 1_000
PATTERN_LIMIT = 300
REPEATS = 2
OPTIONS = 8
CHOICES = 3

_ATOM = later(
    r"""\\[1-9] | \\. | \[\^?\]?(?:\\.|[^\]\\])*\] | \(\?P?[<=!(>#][^)]*\)? | \(\?[a-zA-Z-]*[:)]?
    | \{\d*,?\d*\}[?+]? | [*+?][?+]? | [()|] | .""",
    re.VERBOSE | re.DOTALL,
)


_COLOUR = later(r"\x1b\[[0-9;:]*m")
_MOVE = later(r"\x1b\[[0-?]*[ -/]*[@-~]|[\b\v\f]")
_ODD_CLASS = later(r"(?<!\\)\[[^\]]*?(?:\[|--|&&|~~|\|\|)")


class ErrorLine(Record, frozen=True):
    """A line of a log that means failure."""

    line: int
    """Its number in the text that was looked through, from 1."""
    text: str
    """At most `LINE_LIMIT` characters of it."""
    pattern: str


def pattern_fault(pattern: str) -> str:
    """Return why a pattern is not taken; empty when it is."""
    if len(pattern) > PATTERN_LIMIT:
        return f"has more than {PATTERN_LIMIT} characters"
    if odd := _ODD_CLASS.search(pattern):
        return f"holds {odd[0][-2:]!r} in a class, which later Pythons read otherwise"
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is no regular expression: {error}"
    if compiled.search("") is not None:
        return "matches an empty line"
    return _endless(pattern)


def error_lines(
    text: str, error_patterns: Iterable[str], ignore_patterns: Iterable[str] = ()
) -> Iterator[ErrorLine]:
    """Yield each line that an error pattern matches and none of the others does."""
    errors = [re.compile(pattern) for pattern in error_patterns]
    ignored = [re.compile(pattern) for pattern in ignore_patterns]
    text = _MOVE.sub("\r", _COLOUR.sub("", text))
    for number, whole in enumerate(text.split("\n"), 1):
        for line in whole.split("\r"):
            for piece in _pieces(line):
                found = next((pattern for pattern in errors if pattern.search(line, *piece)), None)
                if found and not any(pattern.search(line, *piece) for pattern in ignored):
                    said = line[slice(*piece)]
                    yield ErrorLine(line=number, text=said, pattern=found.pattern)
                    break


def _pieces(line: str) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a line begin and end; mostly it is one."""
    step = LINE_LIMIT // 2
    for at in range(0, max(1, len(line) - step), step):
        yield at, at + LINE_LIMIT


class _Counted:
    """What stands in a pattern that makes matching take long."""

    def __init__(self) -> None:
        self.repeats = self.options = self.choices = 0
        self._groups: list[set[str]] = [set()]
        self._closed: set[str] = set()

    def take(self, atom: str) -> str:
        """Count one part of a pattern; returns why it is not taken, or nothing."""
        closed, self._closed = self._closed, set()
        if atom in {"(", "(?:"}:
            self._groups.append(set())
        elif atom == ")":
            self._closed = self._groups.pop()
            self._groups[-1] |= self._closed
        elif atom == "|":
            self.choices += "choice" not in self._groups[-1]
            self._groups[-1].add("choice")
        elif atom[0] == "?":
            self.options += 1
        elif atom[0] in "*+" or (atom[0] == "{" and len(atom) > 1):
            self._groups[-1].add("repeat")
            self.repeats += atom[0] != "{" or "," in atom
            return "repeats a group that holds a repeat or a choice" if closed else ""
        elif atom[0] == "(":
            return f"holds {atom[:12]!r}, and a group may only be `(…)` or `(?:…)`"
        elif atom[0] == "\\" and atom[1:] in set("123456789"):
            return f"refers back by {atom!r}"
        return ""


def _endless(pattern: str) -> str:
    """Return why matching might take for ever; empty when it cannot."""
    counted = _Counted()
    for atom in _ATOM.finditer(pattern.removeprefix("(?i)")):
        if fault := counted.take(atom[0]):
            return fault
    if counted.repeats > REPEATS:
        return f"holds more than {REPEATS} open repeats"
    if counted.options > OPTIONS:
        return f"holds more than {OPTIONS} parts that may be missing"
    return f"holds more than {CHOICES} choices" if counted.choices > CHOICES else ""
