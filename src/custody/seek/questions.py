"""Questions out of a history: what a change is for, in its author's words, asks for the change.

The one right answer is the change itself, so a question must not give it away. No question is a
subject that another change has, too, that has fewer than four words, or that stands among the
lines that its change adds. Numbers of tickets and addresses are taken out.

The questions are divided by time: what is chosen is chosen on those of *dev*, what is reported
comes from *test*, the newest quarter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from custody.patterns import later

TRAIN, DEV = 0.6, 0.15
"""Shares of the changes: the oldest, of which nothing is asked, and those after them."""
FEWEST_WORDS = 4
BIAS = (
    "subjects share names with their diffs, which favours search by words; one answer counts for "
    "each question, so a near-duplicate found first is a miss"
)
"""What has to be said with every figure."""

_TICKET = later(
    r"(?i)\b(?:bug|ticket|issue|gh|pr|lp|closes|fixes|refs)[ :-]*#?\d{2,}\b|#\d{2,}\b"
    r"|\bCVE-\d{4}-\d+\b|\b(?:bugs?|issues|pull)/\d+\b|\bbug=\d+\b|https?://\S+"
)
_WORD = later(r"\w+")


class Question(NamedTuple):
    """What is asked, and what answers it."""

    text: str
    answer: str
    """The source id of the change."""


class Described(NamedTuple):
    """What a change is for, as its author said."""

    text: str
    source_id: str


class Split(NamedTuple):
    """Changes divided by time."""

    dev: list[Described]
    test: list[Described]


def split(subjects: Sequence[Described]) -> Split:
    """Return what may be asked of changes that are in the order of time."""
    times = Counter(key(subject.text) for subject in subjects)
    first, second = int(len(subjects) * TRAIN), int(len(subjects) * (TRAIN + DEV))

    def told(some: Iterable[Described]) -> list[Described]:
        return [one for one in some if times[key(one.text)] == 1 and _says_enough(one.text)]

    return Split(told(subjects[first:second]), told(subjects[second:]))


def question(subject: Described, diff: str) -> Question | None:
    """Return what is asked about a change; None where its lines give it away."""
    text = without_tickets(subject.text)
    added = (line[1:] for line in diff.splitlines() if line.startswith("+"))
    return None if key(text) in key(" ".join(added)) else Question(text, subject.source_id)


def without_tickets(text: str) -> str:
    """Return a text without numbers of tickets and without addresses."""
    return " ".join(_TICKET.sub(" ", text).split()).strip(" .:,-")


def key(text: str) -> str:
    """Return the words of a text in small letters."""
    return " ".join(_WORD.findall(text.lower()))


def _says_enough(text: str) -> bool:
    return len(_WORD.findall(without_tickets(text))) >= FEWEST_WORDS
