"""What is indexed of a history and what is asked of it, without what would give answers away.

What is asked is what `custody.seek.questions` makes of the subjects. What is indexed has no release
notes, change logs, lists of authors and translations, and no numbers of tickets. Everything is
indexed, but for the changes whose questions are *absent*: they have no answer in the index.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from benchmarks.retrieval.histories import Change, History
from custody.patch.outline import outline
from custody.seek.questions import Described, Question, question, split

ABSENT = 10
"""Of so many changes of test one is left out of the index."""

_TICKET = re.compile(
    rb"(?i)\b(?:bug|ticket|issue|gh|pr|lp|closes|fixes|refs)[ :]*#?\d{2,}\b|#\d{2,}\b"
    rb"|\bCVE-\d{4}-\d+\b|\b(?:bugs?|issues|pull)/\d+\b|\bbug=\d+\b"
)
_UNTOLD = re.compile(
    rb"(?i)(?:^|/)(?:change-?log|changes|news|authors|contributors|release|history|upgrading)"
    rb"[^/]*$|(?:^|/)(?:locale|po|releases|changelog\.d|news)/|\.(?:po|pot|ts|lock)$"
)


class Corpus(NamedTuple):
    """A history made ready."""

    name: str
    changes: list[Change]
    """What is indexed, the oldest first, its diffs without what is left out."""
    dev: list[Question]
    test: list[Question]
    absent: list[Question]

    @property
    def sha256(self) -> str:
        """Return the hash by which it is seen that two runs searched the same."""
        digest = hashlib.sha256()
        for change in self.changes:
            digest.update(f"{change.name}\0{len(change.diff)}\0".encode() + change.diff)
        for asked in (*self.dev, *self.test, *self.absent):
            digest.update(f"{asked.answer}\0{asked.text}\0".encode(errors="replace"))
        return digest.hexdigest()


def build(history: History, *, most: int, seed: int = 0) -> Corpus:
    """Return the corpus of a history, with at most so many questions of each kind."""
    guarded = [change._replace(diff=guarded_diff(change.diff)) for change in history.changes]
    told = {change.name: change for change in guarded if change.diff}
    asked = split([Described(change.subject, change.name) for change in told.values()])
    dev = _questions(asked.dev, told)
    newest = _questions(asked.test, told)
    absent = newest[::ABSENT]
    left_out = {one.answer for one in absent}
    test = [one for one in newest if one.answer not in left_out]
    chance = random.Random(seed)  # noqa: S311 - a sample
    some = (chance.sample(all_of, min(most, len(all_of))) for all_of in (dev, test, absent))
    kept = [change for name, change in told.items() if name not in left_out]
    return Corpus(history.name, kept, *some)


def guarded_diff(diff: bytes) -> bytes:
    """Return a diff without the files that tell of changes in words, and without tickets."""
    parts = [*outline(diff)]
    ends = [*(after.begin for _, after in pairwise(parts)), len(diff)]
    kept = (
        diff[part.begin : end]
        for part, end in zip(parts, ends, strict=True)
        if not _UNTOLD.search(part.path)
    )
    return _TICKET.sub(b"", b"".join(kept))


def _questions(subjects: Iterable[Described], told: dict[str, Change]) -> list[Question]:
    """Return the questions of changes whose time somebody told."""
    found = (
        question(subject, told[subject.source_id].diff.decode(errors="replace"))
        for subject in subjects
        if told[subject.source_id].at
    )
    return [one for one in found if one is not None]
