"""Documents that a node wrote are taken in: their fenced blocks become files of the workspace.

What a file held before is kept as a blob. Whatever goes wrong is told and raises nothing: a stage
ends as it would have without. Only `Interrupted` passes.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from msgspec.structs import replace

from custody.checks.guards.secrets import Redactor
from custody.errors import CustodyError, Interrupted, StorageFailed
from custody.ingest.blocks import SHOWN, Destination, Intake
from custody.model import layout
from custody.model.allowlist import Allowlist
from custody.model.evidence import Evidence
from custody.model.ingest import (
    IngestLimits,
    IngestManifest,
    IngestMode,
    IngestSource,
    summary_of,
)
from custody.model.ingest_event import AnyIngestFact, IngestFailed
from custody.model.record import encode_pretty
from custody.model.relpath import RelPath
from custody.model.request import Ack
from custody.sandbox.stage import Stage
from custody.store.os_errors import failure
from custody.store.root import Root

RESERVE = 1 << 20
"""Bytes of the disk that blocks may not use up."""


class Extraction(NamedTuple):
    """What came of a document, its manifest not written yet."""

    manifest: IngestManifest
    facts: tuple[AnyIngestFact, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """What went wrong beside blocks that were rejected."""
        return tuple(fact.reason for fact in self.facts if isinstance(fact, IngestFailed))


class Ingested(NamedTuple):
    """What came of a document."""

    manifest: IngestManifest
    evidence: Evidence | None
    """Of the manifest's file; None when it could not be written."""
    facts: tuple[AnyIngestFact, ...]
    """What the journal is to tell."""


class StageWorkspace:
    """The workspace of a run, for a stage that may write what its allowlist covers."""

    def __init__(self, stage: Stage, allowlist: Allowlist | None) -> None:
        self._stage = stage
        self._allowlist = allowlist

    @property
    def root(self) -> Root:
        """The workspace."""
        return self._stage.workspace.root

    def refusal(self, path: RelPath) -> str:
        """Hold the blocks to what the stage itself is held to."""
        layers = self._stage.sandbox.layers
        if layers is not None and layers.hidden.covers(str(path)):
            return "holdout"
        allowed = self._allowlist is None or self._allowlist.covers(str(path))
        return "" if allowed else "not_allowed"

    def put(self, path: RelPath, content: bytes) -> str:
        """Write a file; its content and what stood there are blobs before.

        So the look at the workspace that follows needs no room on the disk that is not there.
        """
        self._leave_room(2 * len(content))
        replaced, mode = "", 0o644
        if self.root.exists(path):
            replaced, _ = self._stage.run.blobs.put_file(self.root, path)
            mode = self.root.stat(path).st_mode & 0o777
        self._stage.workspace.keep(content)
        self._stage.sandbox.edited = True
        self.root.write(path, content, mode=mode)
        return replaced

    def _leave_room(self, size: int) -> None:
        """Raise `StorageFailed` when the disk could not take that and the run's own record."""
        try:
            disk = os.fstatvfs(self.root.fd)
        except OSError as error:
            raise failure(error, self.root.path) from error
        if disk.f_bavail * disk.f_frsize < size + RESERVE:
            raise StorageFailed(
                "what is left of the disk is kept for the run's record", where=self.root.path
            )


def ingest_answer(
    ack: Ack,
    stage: Stage,
    limits: IngestLimits,
    *,
    mode: IngestMode,
    allowlist: Allowlist | None,
    redactor: Redactor,
) -> tuple[Ack, tuple[AnyIngestFact, ...]]:
    """Take in the document that a stage has written, if it has; never raises.

    Returns the ack with the manifest among its evidence, and what the journal is to tell.
    """
    written = next((item for item in ack.evidence if item.is_document), None)
    if written is None or ack.status not in ("ok", "partial"):
        return ack, ()
    source = IngestSource(mode=mode, doc_path=written.path)
    try:
        document = stage.run.document(written)
    except CustodyError as error:
        return ack, (failed(error, stage.node, written.path, redactor),)
    done = ingest(
        document,
        stage,
        source=source,
        redactor=redactor,
        limits=limits,
        allowlist=allowlist,
    )
    kept = () if done.evidence is None else (done.evidence,)
    return replace(ack, evidence=(*ack.evidence, *kept)), done.facts


def ingest(
    document: bytes,
    stage: Stage,
    *,
    source: IngestSource,
    redactor: Redactor,
    limits: IngestLimits | None = None,
    allowlist: Allowlist | None = None,
) -> Ingested:
    """Write the blocks of a document that may be written, and the manifest; never raises.

    ``document`` is what the node wrote; a block that a secret was taken out of is rejected too.
    """
    taken = take_in(
        document,
        StageWorkspace(stage, allowlist),
        source=source,
        redactor=redactor,
        limits=limits or IngestLimits(),
        whose=(stage.run.run_id, stage.node),
    )
    try:
        evidence = stage.folder.write(layout.INGEST_MANIFEST, encode_pretty(taken.manifest))
    except Interrupted:
        raise
    except Exception as error:  # noqa: BLE001 - told, and the stage goes on
        told = failed(error, stage.node, source.doc_path, redactor)
        return Ingested(taken.manifest, None, (*taken.facts, told))
    return Ingested(taken.manifest, evidence, taken.facts)


def take_in(
    document: bytes,
    destination: Destination,
    *,
    source: IngestSource,
    redactor: Redactor,
    limits: IngestLimits,
    whose: tuple[str, str] = ("", ""),
) -> Extraction:
    """Write the blocks of a document that may be written; never raises.

    ``whose`` are the ids of run and node, where there are any.
    """
    run_id, node = whose
    intake = Intake(document, destination, redactor, limits)
    failures: list[AnyIngestFact] = []
    try:
        intake.take_in()
    except Interrupted:
        raise
    except Exception as error:  # noqa: BLE001 - told, and the stage goes on
        failures.append(failed(error, node, source.doc_path, redactor))
    manifest = IngestManifest(
        run_id=run_id,
        node_id=node,
        source=source,
        artifacts=tuple(intake.artifacts),
        summary=summary_of(tuple(intake.artifacts)),
        ts=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )
    return Extraction(manifest, (*intake.facts(node, source.doc_path), *failures))


def failed(error: Exception, node: str, doc_path: str, redactor: Redactor) -> IngestFailed:
    """Return what the journal tells of an exception."""
    known = isinstance(error, CustodyError)
    kind = error.error_type if isinstance(error, CustodyError) else type(error).__name__
    said = (str(error) if known else repr(error)).encode("utf-8", "backslashreplace").decode()
    reason = redactor.redact(said)[0][:SHOWN]
    return IngestFailed(node=node, doc_path=doc_path, error_type=kind, reason=reason)
