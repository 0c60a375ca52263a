"""The progress of a run as a picture that stays in place on a terminal.

It is drawn over itself: up as many lines as were drawn, and each line anew to its end. Lines are
cut to the terminal's width, so none of them ever takes two; the report that follows cuts nothing.
The cursor waits where the last line begins: the ``^C`` that a terminal prints there folds nothing.
Where the terminal has become narrower meanwhile, what stands there has been folded, and is
counted as it is folded.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self, TextIO

from custody.cli.output import leave
from custody.cli.render.progress import AT_WORK, Progress, Row, tone
from custody.cli.render.table import GAP, seconds
from custody.cli.render.terminal import TONES, cut, visible, wants_colour, width
from custody.cli.render.usage import cost_cell, tokens_cell
from custody.cli.result import Line, Tone

REFRESH = 0.25
"""Seconds between two pictures of which only the clock differs."""
BURST = 0.05
"""Seconds between two pictures at least."""
PATIENCE = 1.0
"""Seconds without a fact after which it is said what goes on before the first."""
_NAME = 24
_DEFAULT = os.terminal_size((80, 24))


def picture(progress: Progress, now: float, columns: int, rows: int) -> Iterator[Line]:
    """Return the lines: what the run has cost, then a stage a line, as many as there is room."""
    yield Line(cut(visible(GAP.join(_heading(progress, now))), columns), "strong")
    room = max(rows - 2, 1)
    shown, at_work = _chosen(progress.rows, room)
    cells = [_cells(row, now, columns) for row in shown]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)] if cells else []
    for row, texts in zip(shown, cells, strict=True):
        padded = (
            text + " " * (most - width(text)) for text, most in zip(texts, widths, strict=True)
        )
        yield Line(cut(GAP.join(padded).rstrip(), columns), _tone(row))
    if at_work:
        yield Line(f"… and {at_work} more at work", "faint")


def _heading(progress: Progress, now: float) -> Iterator[str]:
    if progress.pipeline:
        yield progress.pipeline
    yield f"run {progress.run_id}"
    yield seconds(max(0.0, now - progress.since))
    if progress.usage.answers:
        yield f"tokens {tokens_cell(progress.usage)}"
        yield f"cost {cost_cell(progress.usage)}"


def _chosen(rows: tuple[Row, ...], room: int) -> tuple[tuple[Row, ...], int]:
    """Return the rows in sight, and how many at work are left out; those at work come first."""
    if len(rows) <= room:
        return rows, 0
    ended = [row for row in rows if row.state != AT_WORK]
    working = [row for row in rows if row.state == AT_WORK]
    if len(working) < room:
        kept = ended[len(ended) - (room - len(working)) :]
        return tuple(row for row in rows if row in working or row in kept), 0
    return tuple(working[: room - 1]), len(working) - room + 1


def _cells(row: Row, now: float, columns: int) -> tuple[str, ...]:
    name = cut(visible(row.node), max(_NAME, columns // 3))
    tried = f"attempt {row.attempt}  " if row.attempt > 1 else ""
    time_taken = seconds(row.seconds(now))
    return name, row.state, f"{time_taken:>6}", row.type, f"{tried}{visible(row.detail)}"


def _tone(row: Row) -> Tone:
    return "strong" if row.state == AT_WORK else tone(row.state)


class Display:
    """Draws the progress of a run on a terminal, again and again while the block lasts."""

    def __init__(
        self,
        stream: TextIO,
        *,
        keep: bool,
        first: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Draw on ``stream``; ``keep`` leaves the last picture standing.

        ``first`` says what is done before the run has begun, and stands alone until then.
        """
        self._stream = stream
        self._keep = keep
        self._first = first
        self._since = clock()
        self._clock = clock
        self._colour = wants_colour(stream, os.environ)
        self._progress = Progress()
        self._drawn: list[str] = []
        self._last = 0.0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="custody-live", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        with self._lock:
            if self._progress.rows:
                self._draw()
            kept = self._keep and not self._first
            self._say(("\n" if self._drawn else "") if kept else self._erase())

    def update(self, progress: Progress) -> None:
        """Show this from now on."""
        with self._lock:
            self._progress = progress
            self._first = ""
            if time.monotonic() - self._last >= BURST:
                self._draw()

    def _tick(self) -> None:
        while not self._over.wait(REFRESH):
            with self._lock:
                waited = self._clock() - self._since >= PATIENCE
                if self._progress.rows or (self._first and waited):
                    self._draw()

    def _lines(self, columns: int, rows: int) -> Iterator[Line]:
        now = self._clock()
        if self._first:
            text = GAP.join((visible(self._first), seconds(max(0.0, now - self._since))))
            return iter([Line(cut(text, columns), "faint")])
        return picture(self._progress, now, columns, rows)

    def _draw(self) -> None:
        columns, rows = self._size()
        lines = list(self._lines(columns, rows))
        painted = [self._painted(line) for line in lines]
        picture_text = "\n".join(painted)
        self._say(f"{self._home(columns)}{picture_text}\x1b[J\r")
        self._drawn = [line.text for line in lines]
        self._last = time.monotonic()

    def _painted(self, line: Line) -> str:
        code = TONES.get(line.tone) if self._colour else None
        text = f"\x1b[{code}m{line.text}\x1b[0m" if code else line.text
        return f"{text}\x1b[K"

    def _home(self, columns: int) -> str:
        """Return what brings the cursor back to where the picture begins."""
        height = sum(max(1, -(-width(text) // columns)) for text in self._drawn)
        return f"\r\x1b[{height - 1}A" if height > 1 else "\r"

    def _erase(self) -> str:
        return f"{self._home(self._size().columns)}\x1b[J" if self._drawn else ""

    def _size(self) -> os.terminal_size:
        try:
            size = os.get_terminal_size(self._stream.fileno())
        except OSError:
            return _DEFAULT
        return size if size.columns and size.lines else _DEFAULT

    def _say(self, text: str) -> None:
        """Write; a terminal that has gone away must not end the run."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            leave(self._stream)
