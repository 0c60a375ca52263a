"""The board as a table that stays in place on a terminal. Needs rich."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO, cast

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from custody.cli.output import leave
from custody.cli.render.progress import AT_WORK, Row, tone
from custody.cli.render.table import seconds
from custody.cli.render.terminal import visible
from custody.cli.result import Tone

_STYLES: dict[Tone, str] = {"": "", "good": "green", "warn": "yellow", "bad": "red"}


class Picture:
    """Rows at one moment; drawn anew with the time that has passed."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self._rows = rows

    def __rich__(self) -> Table:
        now = time.monotonic()
        grid = Table.grid(padding=(0, 2))
        for row in self._rows:
            style = "bold" if row.state == AT_WORK else _STYLES[tone(row.state)]
            attempt = f"attempt {row.attempt}" if row.attempt > 1 else ""
            cells = (row.node, row.type, row.state, seconds(row.seconds(now)), attempt, row.detail)
            grid.add_row(*(Text(visible(cell), style=style) for cell in cells))
        return grid


class _Lasting:
    """A stream that can be written to when its terminal is gone: a run does not end by that."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            leave(self._stream)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            leave(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def live(*, keep: bool) -> Live:
    """Return the display, on standard error; ``keep`` leaves the last picture standing."""
    console = Console(file=cast("TextIO", _Lasting(sys.stderr)))
    return Live(Picture(()), console=console, refresh_per_second=4, transient=not keep)
