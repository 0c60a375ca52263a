"""A terminal of a given size, and what stands on its screen: the real thing, with pyte to read it.

    done = on_screen(custody, "run", "pipeline.dot", columns=80)
    assert (done.code, done.lines[0]) == (0, "PASS  greeting  run r1")

`Screen` is the same for a program that is looked at while it runs. What has scrolled off the top
is kept: `lines` is everything that was left standing, from the first line on.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import pyte

from support.shell import Shell, command

PATIENCE = 120.0
"""Seconds until a program that says nothing more is given up."""


class Shown(NamedTuple):
    """How a program ended, and what it left on the screen."""

    code: int
    lines: list[str]
    """Without blanks at their ends, and without empty lines after the last."""

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines)


class Screen:
    """A program with all of its streams on one terminal."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        columns: int = 80,
        rows: int = 24,
        owns_terminal: bool = False,
    ) -> None:
        """Start it; one that ``owns_terminal`` hears of Ctrl-C."""
        self.columns = columns
        self._screen = pyte.HistoryScreen(columns, rows, history=10_000, ratio=0.5)
        self._stream = pyte.ByteStream(self._screen)
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            list(words),
            cwd=folder,
            env={**environment, "TERM": environment.get("TERM", "xterm")},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=_own if owns_terminal else None,  # noqa: PLW1509 - one call, of the kernel
        )
        os.close(theirs)
        self.printed = b""
        """Everything that was sent to the terminal."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        os.close(self._ours)

    def lines(self) -> list[str]:
        """Return what stands there by now, what has scrolled off the top included."""
        kept = [
            "".join(row[column].data for column in range(self.columns))
            for row in self._screen.history.top
        ]
        lines = [line.rstrip() for line in (*kept, *self._screen.display)]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def until(self, holds: Callable[[list[str]], bool]) -> list[str]:
        """Read on until the screen is as wanted; return its lines."""
        deadline = time.monotonic() + PATIENCE
        while not holds(found := self.lines()):
            if not self._read(deadline - time.monotonic()):
                raise AssertionError("the screen never came to it:\n" + "\n".join(found))
        return found

    def ended(self) -> Shown:
        """Read on until the program has ended."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline - time.monotonic()):
            pass
        return Shown(self.process.wait(PATIENCE), self.lines())

    def type(self, keys: str) -> None:
        """Press keys; ``\\x03`` is Ctrl-C, for a program that has the terminal as its own."""
        os.write(self._ours, keys.encode())

    def _read(self, patience: float) -> bool:
        """Take what has come; False when there is nobody left who could say anything."""
        ready, _, _ = select.select([self._ours], [], [], max(0.0, patience))
        if not ready:
            raise AssertionError("nothing more is said:\n" + "\n".join(self.lines()))
        try:
            data = os.read(self._ours, 65536)
        except OSError:
            return False  # how Linux says that nobody holds the other end any more
        self.printed += data
        self._stream.feed(data)
        return bool(data)


def _own() -> None:
    """Make the terminal on standard input that of the session."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def screen(shell: Shell, *words: str, columns: int = 80, rows: int = 24, **more: str) -> Screen:
    """Start ``custody`` with these words on a terminal; ``more`` are variables."""
    return Screen(
        command(*words),
        folder=shell.folder,
        environment={**shell.environment, **more},
        columns=columns,
        rows=rows,
    )


def on_screen(shell: Shell, *words: str, columns: int = 80, rows: int = 24, **more: str) -> Shown:
    """Run ``custody`` with these words on a terminal; return how it ended and what it left."""
    with screen(shell, *words, columns=columns, rows=rows, **more) as running:
        return running.ended()
