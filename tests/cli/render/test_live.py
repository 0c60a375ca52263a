"""The progress of a run as a picture that stays in place."""

from __future__ import annotations

import io
import os
import threading

import pyte
import pytest

from custody.cli.render.live import Display, picture
from custody.cli.render.progress import ANSWERED, AT_WORK, Progress, Row
from custody.cli.render.terminal import width
from custody.model.usage import UsageTotal

NOW = 1_000.0
USED = UsageTotal(
    answers=2, tokens=13_023, input_tokens=12_345, output_tokens=678, untold=1, cost_usd=0.03
)


def drawn(*rows: Row, columns: int = 80, lines: int = 24, usage: UsageTotal = USED) -> list[str]:
    progress = Progress(rows, "greeting", "r1", NOW - 61, usage)
    return [line.text for line in picture(progress, NOW, columns, lines)]


def test_each_stage_is_a_row_below_what_the_run_has_cost() -> None:
    told = drawn(
        Row("write", "codergen", "success", 1, NOW, elapsed=1.5, detail="done"),
        Row("check", "tool", AT_WORK, 2, NOW - 61),
    )
    assert told == [
        "greeting  run r1  1m01s  tokens 12.3k/678+  cost $0.0300",
        "write  success    1.5s  codergen  done",
        "check  at work   1m01s  tool      attempt 2",
    ]


@pytest.mark.req("U-13")
@pytest.mark.parametrize("columns", [80, 140])
def test_no_line_is_longer_than_the_terminal_is_wide(columns: int) -> None:
    rows = [
        Row("n" * 200, "codergen", "success", 1, NOW, detail="x" * 300),
        Row("大" * 90, "codergen", AT_WORK, 1, NOW, detail="大" * 90),
    ]
    told = drawn(*rows, columns=columns)
    assert all(width(line) <= columns for line in told)
    assert "at work" in told[2], "of a long name so much is cut that the state is seen"


def test_those_at_work_stay_in_sight() -> None:
    ended = [Row(f"e{number}", "tool", "success", 1, NOW) for number in range(30)]
    working = [Row(f"w{number}", "tool", AT_WORK, 1, NOW) for number in range(30)]
    told = drawn(*ended, *working[:4], lines=10)
    assert [line.split()[0] for line in told[1:]] == [
        "e26", "e27", "e28", "e29", "w0", "w1", "w2", "w3",
    ]  # fmt: skip
    told = drawn(*ended, *working, lines=10)
    assert len(told) < 10
    assert told[-1] == "… and 23 more at work"


def test_an_answer_that_waits_for_its_turn_counts_no_more_time() -> None:
    told = drawn(Row("a", "agent_task", ANSWERED, 1, NOW - 60, elapsed=2.0))
    assert told[1].split()[:3] == ["a", "answered", "2.0s"]


def test_nothing_in_a_row_steers_the_terminal() -> None:
    line = drawn(Row("a\x1b[2Jb", "tool", "success", 1, 0.0, detail="[red]x[/red]\x07"))[1]
    assert "\x1b" not in line
    assert "\x07" not in line
    assert "[red]x[/red]" in line


class Screen(io.StringIO):
    """A terminal that pyte reads, of a size that can change."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.Stream(self.screen)
        self.written = threading.Event()

    def write(self, text: str) -> int:
        self._stream.feed(text.replace("\n", "\r\n"))
        self.written.set()
        return len(text)

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display if line.strip()]


def rows(number: int) -> Progress:
    found = (Row(f"n{each}", "tool", "success", 1, NOW) for each in range(number))
    return Progress(tuple(found), "p", "r1", NOW)


@pytest.mark.parametrize("keep", [False, True])
def test_the_last_picture_stays_where_nothing_else_is_printed(keep: bool) -> None:
    screen = Screen()
    with Display(screen, keep=keep, clock=lambda: NOW) as display:
        for number in (3, 5, 2):
            display.update(rows(number))
    assert len(screen.lines) == (3 if keep else 0)
    screen.write("next")
    assert screen.lines[-1] == "next"


def test_a_picture_is_drawn_over_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("custody.cli.render.live.BURST", 0.0)
    screen = Screen()
    screen.write("before\n")
    with Display(screen, keep=True, clock=lambda: NOW) as display:
        for number in (3, 5, 2):
            display.update(rows(number))
            assert len(screen.lines) == number + 2
    assert screen.lines == ["before", "p  run r1  0ms", "n0  success     0ms  tool",
                            "n1  success     0ms  tool"]  # fmt: skip


def test_what_the_terminal_prints_of_ctrl_c_is_erased_with_the_picture() -> None:
    terminal = Screen()
    with Display(terminal, keep=False) as display:
        display.update(Progress((Row("a", "tool", AT_WORK, 1, NOW, detail="x" * 90),), "p", "r1"))
        terminal.write("^C")
    assert "".join(terminal.screen.display).strip() == ""


def test_a_terminal_that_has_gone_away_ends_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone, Display(gone, keep=True) as display:
        display.update(rows(2))


class Clock:
    """Tells the time that it is set to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.mark.req("U-13")
@pytest.mark.parametrize("keep", [False, True])
def test_before_the_first_fact_it_says_what_is_done(
    keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("custody.cli.render.live.REFRESH", 0.001)
    monkeypatch.setattr("custody.cli.render.live.BURST", 0.0)
    screen, clock = Screen(), Clock()
    with Display(screen, keep=keep, first="copying a\nb", clock=clock) as display:
        clock.now += 2
        assert screen.written.wait(60)
        assert screen.lines == [r"copying a\nb  2.0s"]
        display.update(rows(1))
        assert screen.lines[0].startswith("p  run r1")
        assert "copying" not in "".join(screen.lines)


@pytest.mark.parametrize("keep", [False, True])
def test_nothing_of_it_is_left_where_nothing_began(
    keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("custody.cli.render.live.REFRESH", 0.001)
    screen, clock = Screen(), Clock()
    with Display(screen, keep=keep, first="copying x", clock=clock):
        clock.now += 2
        assert screen.written.wait(60)
    assert screen.lines == []
