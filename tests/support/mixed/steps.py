"""One command of a mixed run: started, ended by a signal where one is drawn, and judged."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from custody.errors import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_WAITING
from custody.model import layout

PATIENCE = 120.0
"""Seconds after which a process is taken to hang."""
START = 0.5
"""Seconds within which a process may be ended while it starts."""
LATE = 0.03
"""Seconds that may pass after the journal has come to its line."""
_PYTHONS_OWN = "KeyboardInterrupt"
"""What Python itself says to an interruption as long as it only loads custody."""


class Step(NamedTuple):
    """A command, and how it ended."""

    command: Sequence[str]
    stop: signal.Signals | None
    code: int
    complaint: str
    """What it wrote to standard error."""

    def __str__(self) -> str:
        how = f" ({self.stop.name})" if self.stop else ""
        return f"{' '.join(self.command)}{how} -> {self.code}"

    @property
    def trouble(self) -> str:
        """Return why no process may end so; empty when it may."""
        allowed = {EXIT_DONE, EXIT_FAILED, EXIT_WAITING}
        if self.stop is not None:
            allowed |= {EXIT_INTERRUPTED, -self.stop}
        if self.code in allowed and ("Traceback" not in self.complaint or self.unborn):
            return ""
        return f"{self}: {self.complaint}"

    @property
    def unborn(self) -> bool:
        """Whether it was ended before it was more than an interpreter."""
        return self.stop == signal.SIGINT and _PYTHONS_OWN in self.complaint


def ended(
    process: subprocess.Popen[str], command: Sequence[str], stop: signal.Signals | None = None
) -> Step:
    """Wait for the end of a process; one that hangs is killed, and its complaint says so."""
    try:
        _, complaint = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, complaint = process.communicate()
        complaint = f"Traceback: none, it hangs\n{complaint}"
    return Step(command, stop, process.returncode, complaint)


def wait_for_its_moment(
    process: subprocess.Popen[str], run: Path, lines: int, by: random.Random
) -> None:
    """Wait until a run has come to some line of its journal, which has ``lines`` in all.

    A run that has none yet may be ended while its process starts.
    """
    reached = count(run)
    if not reached and by.random() < 0.3:
        time.sleep(by.uniform(0, START))
        return
    target = by.randrange(reached, max(reached, lines) + 2)
    while process.poll() is None and count(run) < target:
        time.sleep(0.003)
    time.sleep(by.uniform(0, LATE))


def count(run: Path) -> int:
    """Return how many lines the journal of a run has by now."""
    try:
        return (run / layout.EVENTS).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0
