"""How findings are worded: a place, a text of the user's, the name that was probably meant."""

from __future__ import annotations

from collections.abc import Collection

from custody.model.finding import Finding, Severity
from custody.model.graph import SourcePosition

_SHOWN = 60
_COMPARISONS = 20_000
_LONGEST_NAME = 64
_LIKENESS = 0.7
_GREAT_LIKENESS = 0.8
"""How near several names must be to be given together."""


def shown(text: str) -> str:
    """Return ``text`` in quotes on one line: cut when long, odd characters escaped."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return "'" + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut) + "'"


def found(
    code: str, message: str, at: SourcePosition | None, hint: str = "", severity: Severity = "error"
) -> Finding:
    """Return a finding at a place, or about the file as a whole."""
    line, column = (at.line, at.column) if at else (0, 0)
    return Finding(
        code=code, message=message, line=line, column=column, severity=severity, hint=hint
    )


class Nearest:
    """Guesses the name that was meant; silent once a file has used up its comparisons.

    Each guess costs as many comparisons as there are names, so a file with thousands of wrong
    names must not ask for all of them.
    """

    def __init__(self) -> None:
        self._left = _COMPARISONS

    def hint(self, name: str, known: Collection[str], *, most: int = 1) -> str:
        """Return ``did you mean 'x' or 'y'?``, or nothing when no name is near."""
        if len(name) > _LONGEST_NAME or self._left < len(known):
            return ""
        self._left -= len(known)
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=most, cutoff=_GREAT_LIKENESS)
        near = near or get_close_matches(name, known, n=1, cutoff=_LIKENESS)
        return f"did you mean {' or '.join(map(shown, near))}?" if near else ""
