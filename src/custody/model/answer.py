"""Recorded answers, from which the fake agent works."""

from __future__ import annotations

import re
from typing import Any

from custody.model.outcome import OutcomeStatus
from custody.model.record import Document, Record
from custody.model.request import Usage

_ITEM = re.compile(r"\.[1-9][0-9]*\.")


class FileEdit(Record, frozen=True, omit_defaults=True):
    """One file that the answer writes; one without content, data and symlink is deleted."""

    path: str
    """Relative to the workspace."""
    content: str | None = None
    """The whole new content."""
    executable: bool = False
    data: bytes | None = None
    """The whole new content where it is no text; in JSON as base 64."""
    symlink: str = ""
    """Where a symlink points that is put there."""

    @property
    def deletes(self) -> bool:
        """Whether the file is deleted."""
        return self.content is None and self.data is None and not self.symlink

    def encoded(self) -> bytes:
        """Return what the file will hold; raises `UnicodeEncodeError` for half a surrogate pair."""
        return (self.content or "").encode() if self.data is None else self.data


class RecordedAnswer(Record, frozen=True, omit_defaults=True):
    """What an agent once said and did."""

    text: str
    edits: tuple[FileEdit, ...] = ()
    outcome: OutcomeStatus = "success"
    notes: str = ""
    context_updates: dict[str, Any] = {}
    usage: Usage | None = None


class AnswerBook(Document, frozen=True, kw_only=True):
    """A file of recorded answers: a node's first call gets the first; the last one repeats."""

    answers: tuple[RecordedAnswer, ...] = ()
    """For every node that has none of its own."""
    nodes: dict[str, tuple[RecordedAnswer, ...]] = {}
    """By stage: ``draft``, ``tasks.2.draft``, or ``tasks.*.draft`` for that of every item."""

    def __post_init__(self) -> None:
        if not self.answers and not self.nodes:
            raise ValueError("it holds neither answers nor nodes")

    def answer_to(self, stage: str, call: int) -> RecordedAnswer | None:
        """Return the answer to a stage's first call, its second, …; None when there is none."""
        of_any_item = _ITEM.sub(".*.", stage)
        answers = self.nodes.get(stage) or self.nodes.get(of_any_item) or self.answers
        return answers[min(call, len(answers)) - 1] if answers else None
