"""Columns of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from custody.cli.render.terminal import visible, width
from custody.cli.result import Line, Tone

GAP = "  "
INDENT = "    "
"""Before a remark that has no room beside its row."""


class TableRow(msgspec.Struct, frozen=True):
    """Cells of one row, how it is coloured, and what else is said of it."""

    cells: Sequence[str]
    tone: Tone = ""
    remark: str = ""
    """A text of any length, after the last column."""


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the heading and the rows with their columns aligned; the last one is not padded."""
    everything = _visible(headings, [TableRow(row) for row in rows])
    widths = _widths(everything)
    return [_row(row, widths) for row in everything]


def fitted(
    headings: Sequence[str], rows: Sequence[TableRow], columns: int, *, remark: str = ""
) -> Iterator[Line]:
    """Yield a table that loses nothing where there are only so many columns; 0 for any number.

    A first cell that leaves too little room for the others gets a line of its own, and a remark
    goes on below itself. ``remark`` is what remarks are, for the heading.
    """
    titles, *cells = _visible(headings, rows)
    widths = _widths([titles, *cells])
    left = columns - sum(widths[1:]) - len(GAP) * (len(widths) - 1)
    if columns and widths[0] > left:
        shorter = [width(row[0]) for row in (titles, *cells) if width(row[0]) <= left]
        widths[0] = max(shorter, default=0)
    hang = sum(widths) + len(GAP) * len(widths)
    for row, texts in zip(
        (TableRow(headings, "strong", remark), *rows), (titles, *cells), strict=True
    ):
        first, *others = texts
        if width(first) > widths[0]:
            yield Line(first, row.tone)
            first = ""
        text = _row([first, *others], widths)
        beside = f"{text}{' ' * (hang - width(text))}{visible(row.remark)}"
        if not columns or width(beside) <= columns:
            yield Line(beside.rstrip(" "), row.tone)
            continue
        yield Line(text, row.tone)
        if row.remark:
            yield Line(f"{INDENT}{row.remark}", row.tone, hang=len(INDENT))


def needed(headings: Sequence[str], rows: Sequence[TableRow]) -> int:
    """Return how many columns of a terminal a table takes, remarks not counted."""
    widths = _widths(_visible(headings, rows))
    return sum(widths) + len(GAP) * (len(widths) - 1)


def seconds(value: float) -> str:
    """Return a length of time as short as it can be read."""
    if value < 1:
        return f"{value * 1000:.0f}ms"
    if value < 60:  # noqa: PLR2004 - a minute
        return f"{value:.1f}s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"


def count(number: int, noun: str) -> str:
    """Return ``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _visible(headings: Sequence[str], rows: Sequence[TableRow]) -> list[list[str]]:
    return [[visible(cell) for cell in row] for row in (headings, *(row.cells for row in rows))]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(width, column)) for column in zip(*rows, strict=True)]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (room - width(cell)) for cell, room in zip(cells, widths, strict=True))
    return GAP.join(padded).rstrip()
