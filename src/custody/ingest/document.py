"""Ingest one document: its blocks are written, and what became of each is told.

Whatever goes wrong is told and raises nothing. Only `Interrupted` passes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from custody.checks.guards.secrets import Redactor
from custody.errors import CustodyError, Interrupted
from custody.ingest.blocks import BlockResult, Destination, write_blocks
from custody.model import layout
from custody.model.ingest import (
    Artifact,
    BlockNote,
    IngestLimits,
    IngestManifest,
    IngestSource,
    summary_of,
)
from custody.model.ingest_event import (
    AnyIngestFact,
    IngestFailed,
    IngestRejected,
    IngestSkipped,
    IngestWritten,
)

NOTES = 100
"""Most blocks that one event tells of."""
SHOWN = 1024
"""Most characters of a text of the document that are told."""

_KINDS: dict[str, type[IngestWritten | IngestSkipped | IngestRejected]] = {
    "written": IngestWritten,
    "skipped": IngestSkipped,
    "rejected": IngestRejected,
}
"""Which event tells of blocks with a status."""


class Ingested(NamedTuple):
    """What came of a document."""

    manifest: IngestManifest
    facts: tuple[AnyIngestFact, ...]
    """What the journal is to tell."""

    @property
    def failures(self) -> tuple[str, ...]:
        """What went wrong beside blocks that were rejected."""
        return tuple(fact.reason for fact in self.facts if isinstance(fact, IngestFailed))


def ingest(
    document: bytes,
    destination: Destination,
    *,
    source: IngestSource,
    redactor: Redactor,
    limits: IngestLimits,
    whose: tuple[str, str] = ("", ""),
) -> Ingested:
    """Write the blocks of a document that may be written; never raises.

    ``whose`` are the ids of run and node, where there are any.
    """
    run_id, node = whose
    report = _Report(redactor)
    failures: list[AnyIngestFact] = []
    try:
        for result in write_blocks(document, destination, redactor, limits):
            report.add(result)
    except Interrupted:
        raise
    except Exception as error:  # noqa: BLE001 - told, and whoever asked goes on
        failures.append(failure_fact(error, node, source.doc_path, redactor))
    artifacts = tuple(report.artifacts)
    manifest = IngestManifest(
        run_id=run_id,
        node_id=node,
        source=source,
        artifacts=artifacts,
        summary=summary_of(artifacts),
        ts=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )
    return Ingested(manifest, (*report.facts(node, source.doc_path), *failures))


class _Report:
    """What became of the blocks so far, with their secrets taken out."""

    def __init__(self, redactor: Redactor) -> None:
        self.artifacts: list[Artifact] = []
        self._redactor = redactor
        self._notes: dict[str, list[BlockNote]] = {status: [] for status in _KINDS}

    def add(self, result: BlockResult) -> None:
        fence, written = result.fence, result.status == "written"
        index, file = len(self.artifacts), self._shown(fence.path)
        self.artifacts.append(
            Artifact(
                index=index,
                lang=self._shown(fence.lang),
                declared_file=file,
                workspace_path=f"{layout.WORKSPACE}/{fence.path}" if written else "",
                bytes=fence.end - fence.begin,
                sha256=result.sha256,
                status=result.status,
                reason=result.reason,
            )
        )
        notes = self._notes[result.status]
        if len(notes) < NOTES:
            notes.append(
                BlockNote(
                    index=index,
                    line=fence.line,
                    file=file,
                    reason=result.reason,
                    detail=self._shown(result.detail),
                    replaced=result.replaced,
                )
            )

    def facts(self, node: str, doc_path: str) -> Iterator[AnyIngestFact]:
        """Yield what the journal is to tell; of a document without blocks that it has none."""
        summary = summary_of(tuple(self.artifacts))
        for status, kind in _KINDS.items():
            count = getattr(summary, status)
            if count or (status == "skipped" and not summary.total_blocks):
                notes = tuple(self._notes[status])
                yield kind(node=node, doc_path=doc_path, count=count, blocks=notes)

    def _shown(self, text: str) -> str:
        """Return a text of the document as it may be told."""
        told = self._redactor.redact(text)[0] if text else text
        told = told.encode("utf-8", "backslashreplace").decode()
        return told if len(told) <= SHOWN else f"{told[:SHOWN]}…"


def failure_fact(error: Exception, node: str, doc_path: str, redactor: Redactor) -> IngestFailed:
    """Return what the journal tells of an exception."""
    known = isinstance(error, CustodyError)
    kind = error.error_type if isinstance(error, CustodyError) else type(error).__name__
    said = (str(error) if known else repr(error)).encode("utf-8", "backslashreplace").decode()
    reason = redactor.redact(said)[0][:SHOWN]
    return IngestFailed(node=node, doc_path=doc_path, error_type=kind, reason=reason)
