"""A stage writes into a folder that changes places with a link to the outside all the time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from custody.errors import CustodyError
from custody.model.event import (
    AnyFact,
    GuardrailViolation,
    JournalLine,
    StageCompleted,
    StageStarted,
)
from support.hostile import Ground

SWAP = """
import ctypes, sys
exchange = ctypes.CDLL(None).renameat2
here, there = (word.encode() for word in sys.argv[1:])
print("ready", flush=True)
while True:
    for _ in range(20):
        exchange(-100, here, -100, there, 2)
"""
BODY = (
    'act [prompt="x", max_visits=1000000] start -> act -> act '
    'act -> done [condition="outcome=retry"]'
)


PATIENCE = 60.0
"""Seconds after which it is given up that a stage is both kept and refused."""


class Race:
    """Runs of one stage over and over, each with a swapper beside it.

    They go on for some seconds, and further until both ways were taken or patience is at an end.
    """

    def __init__(self, ground: Ground, seconds: float) -> None:
        self.written = 0
        """Stages that wrote every file and were kept."""
        self.refused = 0
        """Stages and runs that noticed."""
        self._ground = ground
        self._enough = time.monotonic() + seconds
        self._swapper: subprocess.Popen[str] | None = None
        self._runs = 0
        (ground.workdir / "d").mkdir()
        self._agent = ground.answers(
            {"edits": [{"path": f"d/f{number}", "content": "x"} for number in range(10)]}
        )

    def run(self) -> None:
        """Race until it is enough."""
        while not self._is_enough():
            self._runs += 1
            try:
                self._ground.run(
                    BODY, agent=self._agent, run_id=f"r{self._runs}", listeners=(self._heard,)
                )
            except CustodyError:
                self.refused += 1
            except _Enough:
                pass
            finally:
                self._end()

    def _heard(self, _line: JournalLine, fact: AnyFact) -> None:
        if isinstance(fact, StageStarted) and fact.node == "act" and self._swapper is None:
            self._swap(self._ground.path("workspace/d", f"r{self._runs}"))
        self.refused += isinstance(fact, GuardrailViolation)
        self.written += isinstance(fact, StageCompleted) and fact.node == "act"
        if self._is_enough():
            raise _Enough

    def _is_enough(self) -> bool:
        both = self.written and self.refused
        return time.monotonic() > self._enough + (0 if both else PATIENCE)

    def _swap(self, folder: Path) -> None:
        link = self._ground.home / f"link{self._runs}"
        link.symlink_to(self._ground.outside)
        self._swapper = subprocess.Popen(
            [sys.executable, "-c", SWAP, str(folder), str(link)], stdout=subprocess.PIPE, text=True
        )
        assert self._swapper.stdout is not None
        assert self._swapper.stdout.readline() == "ready\n"

    def _end(self) -> None:
        if self._swapper is not None:
            self._swapper.kill()
            self._swapper.communicate()
            self._swapper = None


class _Enough(Exception):
    """The race has lasted long enough."""
