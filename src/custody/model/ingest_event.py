"""The facts about the blocks of documents: what became of them on the way to an answer.

None is a decision: the line of each stands before that of the answer, and a replay passes over it.
"""

from __future__ import annotations

from typing import ClassVar

from custody.model.fact import Fact, Traits
from custody.model.ingest import BlockNote
from custody.model.verdict import Verdict


class IngestFact(Fact, frozen=True):
    """Something that became of the blocks of a document; its line stands before the answer's."""

    node: str
    doc_path: str
    """The document, relative to the run directory."""
    count: int = 0
    """How many blocks it is about."""
    blocks: tuple[BlockNote, ...] = ()
    """The first hundred of them; the manifest has all."""


class IngestWritten(IngestFact, frozen=True):
    """Blocks of a document were written to the workspace."""

    traits: ClassVar[Traits] = Traits(
        about="attempt", changes_state=False, traced_as=None, shown_live=False, decision=False
    )


class IngestSkipped(IngestFact, frozen=True):
    """Blocks did not have the one accepted form; with none, there was nothing to ingest."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        level="warning",
        decision=False,
    )


class IngestRejected(IngestFact, frozen=True):
    """Blocks were unsafe, too much, or could not be written."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        level="error",
        decision=False,
    )


class IngestChecked(Fact, frozen=True):
    """Something is odd about files that were written; they stay."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        level="warning",
        decision=False,
    )
    node: str
    doc_path: str
    verdicts: tuple[Verdict, ...]
    """The first hundred."""


class IngestFailed(Fact, frozen=True):
    """Reading a document for its blocks went wrong; the stage ends as it would have without."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        level="error",
        decision=False,
    )
    node: str
    doc_path: str
    error_type: str
    reason: str


AnyIngestFact = IngestWritten | IngestSkipped | IngestRejected | IngestChecked | IngestFailed
"""What becomes of documents."""
