"""Writes a document of the run."""

from __future__ import annotations

import time

from custody.executors import Stage
from custody.model.request import Ack, WriteRequest


class DocumentExecutor:
    """Answers write requests."""

    def execute(self, request: WriteRequest, stage: Stage) -> Ack:
        """Write the whole document or nothing; what stood there before is replaced."""
        began = time.monotonic()
        document = request.document
        kept = stage.folder.write("document.md", document.text or "")
        stage.run.write(document.path, (document.text or "").encode(), sync=True)
        return Ack(
            request_id=request.id,
            status="ok",
            seconds=round(time.monotonic() - began, 6),
            notes=f"wrote {document.path}",
            evidence=(kept, document),
        )
