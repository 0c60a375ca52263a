"""The agent ``counting``: the packaged agent ``fake`` that writes down what it is asked, and when.

``counting:BOOK`` answers from a book of recorded answers. Beside the book it keeps a line for every
question in the file `ASKED`: the run, the request and the hash of the prompt. It takes its time,
so that a process can be ended while it is at work.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from custody.executors import Stage
from custody.executors.agents import AgentType
from custody.executors.agents.fake import FakeAgent
from custody.model.request import Ack, AgentRequest

NAME = "counting"
ASKED = "asked.txt"
SLOWEST = 0.06
"""Seconds that an answer takes at most."""


class Question(NamedTuple):
    """What was asked once."""

    run: str
    request: str
    prompt: str
    """Its sha256."""


class CountingAgent(FakeAgent):
    """Counts, and answers from a record."""

    def __init__(self, book: str) -> None:
        super().__init__(book)
        self._asked = Path(book).with_name(ASKED)

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        asked = Question(os.path.basename(stage.run.path), request.id, request.prompt.sha256)
        with self._asked.open("a") as log:
            log.write(f"{' '.join(asked)}\n")
        time.sleep(SLOWEST * hashlib.sha256(request.id.encode()).digest()[0] / 255)
        return super().work(request, stage)


def questions(book: Path) -> Counter[Question]:
    """Return how often each question was asked of the agent with that book."""
    log = book.with_name(ASKED)
    lines = log.read_text().splitlines() if log.exists() else []
    return Counter(Question(*line.split()) for line in lines)


def install(site: Path) -> None:
    """Make the agent known to whoever has the folder on its import path."""
    metadata = site / "counting_agent-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: counting-agent\nVersion: 1.0\n"
    )
    declared = f"[custody.agents]\n{NAME} = {__name__}:AGENT\n"
    (metadata / "entry_points.txt").write_text(declared)


AGENT = AgentType(
    name=NAME,
    doc="Gives recorded answers, and counts how often it is asked.",
    argument="BOOK",
    make=lambda argument, _context: CountingAgent(argument),
    starts_programs=False,
    parallel=True,
)
