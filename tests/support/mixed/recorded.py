"""What is on record when a process has ended, and may not be asked for by any later one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

from custody.model import layout
from support.mixed.counting_agent import questions
from support.mixed.twins import counting, journal

_TARGET = re.compile(r"^Target-Path: (.*)$", re.MULTILINE)


class Recorded(NamedTuple):
    """What a run has on record."""

    answered: dict[str, int]
    """Requests and the lines that their answers came with, among those that count."""
    asked: Counter[str]
    """How often each request was asked by then."""

    @classmethod
    def of(cls, run: Path, books: Iterable[Path]) -> Self:
        """Look it up, while no process is at work."""
        answered: dict[str, int] = {}
        for line in counting(journal(run)):
            if line["event"] in ("AnswerArrived", "RequestAnswered"):
                answered.setdefault(line["data"]["ack"]["request_id"], line["seq"])
        asked = Counter[str]()
        for book in books:
            for question, times in questions(book).items():
                if question.run == run.name:
                    asked[question.request] += times
        return cls(answered, asked)

    def asked_again(self, later: Recorded) -> list[str]:
        """Return what was asked since although it is answered by a line that still counts."""
        return [
            request
            for request, seq in self.answered.items()
            if later.answered.get(request) == seq and later.asked[request] != self.asked[request]
        ]


def letters_twice(run: Path) -> Iterator[str]:
    """Yield what a person was asked for by more than one letter."""
    targets = Counter(
        found[1]
        for letter in (run / layout.OUTBOX).glob("*.md")
        if (found := _TARGET.search(letter.read_text()))
    )
    yield from (target for target, times in targets.items() if times > 1)
