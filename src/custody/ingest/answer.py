"""Ingest the document that a stage wrote: its blocks become files of the workspace.

What a file held before is kept as a blob. Whatever goes wrong is told and raises nothing: a stage
ends as it would have without. Only `Interrupted` passes.
"""

from __future__ import annotations

import os

from msgspec.structs import replace

from custody.checks.guards.secrets import Redactor
from custody.errors import CustodyError, Interrupted, StorageFailed
from custody.ingest.document import failure_fact, ingest
from custody.model import layout
from custody.model.allowlist import Allowlist
from custody.model.ingest import IngestLimits, IngestMode, IngestSource
from custody.model.ingest_event import AnyIngestFact
from custody.model.record import encode_pretty
from custody.model.relpath import RelPath
from custody.model.request import Ack
from custody.sandbox.stage import Stage
from custody.store.os_errors import failure
from custody.store.root import Root

RESERVE = 1 << 20
"""Bytes of the disk that blocks may not use up."""


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
                "the disk is almost full, and the rest is kept for the run's record",
                where=self.root.path,
            )


# BEHAVIOR_ID: B012
def ingest_answer(
    ack: Ack,
    stage: Stage,
    limits: IngestLimits,
    *,
    mode: IngestMode,
    allowlist: Allowlist | None,
    redactor: Redactor,
) -> tuple[Ack, tuple[AnyIngestFact, ...]]:
    """Ingest the document that a stage has written, if it has; never raises.

    A block that a secret was taken out of when the document was written is rejected.

    Returns the ack with the manifest among its evidence, and what the journal is to tell.
    """
    written = next((item for item in ack.evidence if item.is_document), None)
    if written is None or ack.status not in ("ok", "partial"):
        return ack, ()
    try:
        document = stage.run.document(written)
    except CustodyError as error:
        return ack, (failure_fact(error, stage.node, written.path, redactor),)
    done = ingest(
        document,
        StageWorkspace(stage, allowlist),
        source=IngestSource(mode=mode, doc_path=written.path),
        redactor=redactor,
        limits=limits,
        whose=(stage.run.run_id, stage.node),
    )
    try:
        evidence = stage.folder.write(layout.INGEST_MANIFEST, encode_pretty(done.manifest))
    except Interrupted:
        raise
    except Exception as error:  # noqa: BLE001 - told, and the stage goes on
        told = failure_fact(error, stage.node, written.path, redactor)
        return ack, (*done.facts, told)
    return replace(ack, evidence=(*ack.evidence, evidence)), done.facts
