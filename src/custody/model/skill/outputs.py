"""Which files a required output may name, and which there were: values for whoever judges them.

The language of these globs is what pathlib, git, shells and Tcl read alike: ``*`` and ``?`` match
within one component, a class holds letters, digits, ``_``, ``.`` and ranges (``[0-9]``), and ``**``
stands once, as a component with others behind it, for any folders or none. A leading dot must be
written.
"""

from __future__ import annotations

from custody.errors import PathRefused
from custody.model import layout
from custody.model.record import Record
from custody.model.relpath import RelPath
from custody.patterns import later

_CLASS = later(r"\[(?:0-9|a-z|A-Z|a-f|A-F|[A-Za-z0-9_.])+\]")
_EXTENDED = later(r"[?*+@]\(")


class OutputFile(Record, frozen=True):
    """A plain file that matches."""

    path: str
    """Below the run directory."""
    size: int


class NotTaken(Record, frozen=True):
    """Something that matches and is no plain file."""

    path: str
    what: str
    """``symlink``, ``folder``, ``special``, or ``no UTF-8`` for a name that is none."""


class FoundOutput(Record, frozen=True):
    """What one required output came to."""

    path: str
    """As the contract has it."""
    non_empty: bool
    files: tuple[OutputFile, ...]
    """By their paths; at most `custody.skills.outputs.FILES_LIMIT`."""
    not_taken: tuple[NotTaken, ...] = ()
    count: int = 0
    """How many files match, those that are not listed as well."""
    empty: int = 0
    """How many of them hold nothing."""
    broken_off: str = ""
    """Why not everything was looked at, or empty."""


class OutputGlob:
    """A glob that kept every rule."""

    def __init__(self, path: RelPath) -> None:
        self.text = str(path)
        self.parts = path.parts

    @classmethod
    def parse(cls, text: str) -> OutputGlob:
        """Return ``text`` as a glob below ``reports/``.

        Raises `PathRefused` with a code of `RelPath`, with ``glob`` for what engines read in
        several ways, or with ``not_reports``.
        """
        path = RelPath.parse(text)
        if path.parts[0] != layout.REPORTS or path.parts[1:] == ():
            raise _refused("not_reports", text, f"it is not below {layout.REPORTS}/")
        if reason := _odd(path.parts):
            raise _refused("glob", text, reason)
        return cls(path)


def _odd(parts: tuple[str, ...]) -> str:
    """Return what not every engine reads alike; empty when there is nothing."""
    if parts.count("**") > 1 or parts[-1] == "**":
        return "`**` may stand once, with a name behind it"
    return next(filter(None, map(_odd_part, parts)), "")


def _odd_part(part: str) -> str:
    if part != "**" and "**" in part:
        return "`**` stands within a component"
    if "{" in part or "}" in part:
        return "a brace is read by some and not by others"
    if _EXTENDED.search(part):
        return "a parenthesis behind `?`, `*`, `+` or `@` is read by some and not by others"
    if set("[]!^") & set(_CLASS.sub("", part)):
        return "a class holds letters, digits, `_`, `.` and the ranges 0-9, a-z, A-Z, a-f and A-F"
    return ""


def _refused(code: str, text: str, reason: str) -> PathRefused:
    return PathRefused(code, f"glob {text[:200]!r} is refused: {reason}")
