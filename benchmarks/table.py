"""The one table: what, custody, peer, ratio, bar, reached; and sections with one of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEADINGS = ("what", "custody", "peer", "ratio", "bar", "reached")
TABLE = "benchmark"
"""By what name a page's markers know the table; a section has a name of its own."""


@dataclass(frozen=True)
class Figure:
    """One measured value, or why there is none."""

    value: float | None
    unit: str
    name: str = ""
    """Whose value it is; empty for custody's."""
    note: str = ""
    failure: str = ""

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        if self.value is None:
            return f"{name}not measured"
        note = f", {self.note}" if self.note else ""
        return f"{name}{_digits(self.value)} {self.unit}{note}"


@dataclass(frozen=True)
class Row:
    """Custody beside one peer. The ratio is custody divided by the peer: lower is better."""

    what: str
    custody: Figure
    peer: Figure
    bar: float | None = None
    """The highest ratio that is good enough; None where none was set."""

    @property
    def ratio(self) -> float | None:
        """Return custody's value divided by the peer's."""
        if self.custody.value is None or not self.peer.value:
            return None
        return self.custody.value / self.peer.value

    @property
    def reached(self) -> str:
        """Say whether the bar is reached; a figure that is missing never reaches one."""
        if self.bar is None:
            return "-"
        return "yes" if self.ratio is not None and self.ratio <= self.bar else "NO"

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        bar = "-" if self.bar is None else f"≤ {self.bar:.2f}"
        return self.what, str(self.custody), str(self.peer), ratio, bar, self.reached


@dataclass(frozen=True)
class Section:
    """A table of its own, for what is no ratio."""

    name: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    """What has to be known about it, a sentence each."""

    def plain(self) -> str:
        """Return it for a terminal."""
        return _aligned([self.headings, *self.lines]) + "".join(f"{note}\n" for note in self.notes)

    def markdown(self) -> str:
        """Return it as Markdown."""
        notes = " ".join(self.notes)
        return _piped(self.headings, self.lines) + (f"\n{notes}\n" if notes else "")


def plain(rows: Sequence[Row]) -> str:
    """Return the table with aligned columns, for a terminal."""
    return _aligned([HEADINGS, *(row.cells() for row in rows)])


def markdown(rows: Sequence[Row]) -> str:
    """Return the table as Markdown."""
    return _piped(HEADINGS, [row.cells() for row in rows])


def failures(rows: Sequence[Row]) -> list[str]:
    """Return why figures are missing, each reason once."""
    figures = [figure for row in rows for figure in (row.custody, row.peer)]
    missing = {
        f"{figure.name or 'custody'}: {figure.failure or 'no figure'}"
        for figure in figures
        if figure.value is None
    }
    return sorted(missing)


def replace_between_markers(page: str, text: str, name: str = TABLE) -> str:
    """Return ``page`` with ``text`` in the place of what stood between the markers of a name.

    Raises `ValueError` when a marker is missing.
    """
    first, last = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, begin, rest = page.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"the page needs a line {first} and a line {last}")
    return f"{before}{first}\n\n{text}\n{last}{after}"


def _aligned(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )


def _piped(headings: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    rule = ("---",) * len(headings)
    return "".join("| " + " | ".join(line) + " |\n" for line in (headings, rule, *lines))


def _digits(value: float) -> str:
    """Return three significant digits, never in exponent form; all of a count."""
    if isinstance(value, int) or value == 0:
        return f"{value:,.0f}"
    digits = 0
    while abs(value) * 10**digits < 100 and digits < 6:  # noqa: PLR2004 - three digits
        digits += 1
    return f"{value:,.{digits}f}"
