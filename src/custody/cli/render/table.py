"""Columns of text."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from custody.cli.render.terminal import visible

GAP = "  "


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the heading and the rows with their columns aligned; the last one is not padded."""
    everything = [[visible(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(width(row[column]) for row in everything) for column in range(len(headings))]
    return [_row(row, widths) for row in everything]


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(_width_of(character) for character in text)


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


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (room - width(cell)) for cell, room in zip(cells, widths, strict=True))
    return GAP.join(padded).rstrip()


def _width_of(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
