"""Recorded answers, from which the fake agent works."""

from __future__ import annotations

from typing import Any

from custody.model.outcome import OutcomeStatus
from custody.model.record import Document, Record
from custody.model.request import Usage


class FileEdit(Record, frozen=True, omit_defaults=True):
    """One file that the answer writes or deletes."""

    path: str
    """Relative to the workspace."""
    content: str | None = None
    """The whole new content; None deletes the file."""
    executable: bool = False


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

    answers: tuple[RecordedAnswer, ...]
