"""What became of the fenced blocks of documents, gathered while the facts of a run come in."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from custody.model.documents import IngestedDocument
from custody.model.event import AnyFact, GateFailed, StageStarted
from custody.model.ingest_event import (
    IngestChecked,
    IngestFact,
    IngestFailed,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)

GATE = "artifacts"
"""The gate that judges files which were taken out of a document."""


class Ingests:
    """The documents that were read for their blocks, the last reading of each."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, str], IngestedDocument] = {}
        self._current: set[tuple[str, str]] = set()
        """Those that were read by an attempt that is under way."""

    def add(self, fact: AnyFact) -> None:
        """Take one more fact into account."""
        match fact:
            case StageStarted():
                self._current = {key for key in self._current if key[0] != fact.node}
            case IngestFact():
                self._put(_with_blocks(self._document(fact.node, fact.doc_path), fact))
            case IngestChecked():
                found = self._document(fact.node, fact.doc_path)
                self._put(replace(found, findings=(*found.findings, *fact.verdicts)))
            case IngestFailed():
                found = self._document(fact.node, fact.doc_path)
                self._put(replace(found, problems=(*found.problems, fact.reason)))
            case GateFailed() if fact.gate == GATE:
                for key in [key for key in self._current if key[0] == fact.node]:
                    self._put(replace(self._documents[key], findings=fact.verdicts))
            case _:
                return

    def documents(self) -> tuple[IngestedDocument, ...]:
        """Return what is known by now, in the order of the first readings."""
        return tuple(self._documents.values())

    def _document(self, node: str, doc_path: str) -> IngestedDocument:
        if (node, doc_path) in self._current:
            return self._documents[node, doc_path]
        return IngestedDocument(node=node, doc_path=doc_path)

    def _put(self, document: IngestedDocument) -> None:
        key = document.node, document.doc_path
        self._current.add(key)
        self._documents[key] = document


def of_facts(facts: Iterable[AnyFact]) -> tuple[IngestedDocument, ...]:
    """Return what some facts tell."""
    gathered = Ingests()
    for fact in facts:
        gathered.add(fact)
    return gathered.documents()


def _with_blocks(document: IngestedDocument, fact: IngestFact) -> IngestedDocument:
    more = document.more + fact.count - len(fact.blocks)
    match fact:
        case IngestWritten():
            return replace(document, written=fact.blocks, more=more)
        case IngestSkipped():
            return replace(document, skipped=fact.blocks, more=more)
        case IngestRejected():
            return replace(document, rejected=fact.blocks, more=more)
        case _:
            return document
