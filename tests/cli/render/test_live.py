"""The board as a table that stays in place."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from custody.cli.render.live import Picture, live
from custody.cli.render.progress import AT_WORK, Row


def drawn(*rows: Row) -> list[str]:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(Picture(rows))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_each_stage_is_a_row() -> None:
    now = time.monotonic()
    told = drawn(
        Row("write", "codergen", "success", 1, now, elapsed=1.5, detail="done"),
        Row("check", "tool", AT_WORK, 2, now - 61),
    )
    assert told[0].split() == ["write", "codergen", "success", "1.5s", "done"]
    assert told[1].split()[:4] == ["check", "tool", "at", "work"]
    assert told[1].endswith("attempt 2")


def test_nothing_in_a_row_steers_the_terminal() -> None:
    (line,) = drawn(Row("a\x1b[2Jb", "tool", "success", 1, 0.0, detail="[red]x[/red]\x07"))
    assert "\x1b" not in line
    assert "\x07" not in line
    assert "[red]x[/red]" in line, "it is text, not markup"


@pytest.mark.parametrize("keep", [False, True])
def test_the_last_picture_stays_where_nothing_else_is_printed(
    keep: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    display = live(keep=keep)
    assert display.transient is not keep
    display.console.print("seen")
    assert capsys.readouterr() == ("", "seen\n")
