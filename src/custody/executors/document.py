"""Writes the documents of a run: one atomic write, whoever the text comes from."""

from __future__ import annotations

import hashlib
import time

from msgspec.structs import replace

from custody.executors import Stage
from custody.model import layout
from custody.model.evidence import Evidence, short_text
from custody.model.request import Ack, AgentRequest, AnyRequest, WriteRequest
from custody.store.rundir import RunDirectory


def write_document(run: RunDirectory, path: str, data: bytes) -> Evidence:
    """Write the whole document or nothing; what stood there before is replaced.

    What the journal cannot hold is kept as a blob too, durable before it is named: a later stage
    may write the file again.
    """
    text = short_text(data)
    if text is None:
        run.blobs.put(data)
        run.blobs.sync()
    run.write(path, data, sync=True)
    sha256 = hashlib.sha256(data).hexdigest()
    return Evidence(path=path, sha256=sha256, bytes=len(data), text=text)


def with_document(request: AnyRequest, ack: Ack, run: RunDirectory) -> Ack:
    """Return the ack of an agent with the document that its response was to become."""
    if not isinstance(request, AgentRequest) or not request.output_path:
        return ack
    if ack.status not in ("ok", "partial"):
        return ack
    response = next((e for e in ack.evidence if layout.is_response(e.path)), None)
    data = b"" if response is None else run.read_evidence(response)
    if not data.strip():
        reason = "the response is empty, so there is no document"
        return replace(ack, status="failed", failure_reason=reason)
    if layout.top_of(request.output_path) in layout.CHANGE_FOLDERS and not data.endswith(b"\n"):
        data += b"\n"  # easily lost on the way, and git takes no patch without it
    document = write_document(run, request.output_path, data)
    return replace(ack, evidence=(*ack.evidence, document))


class DocumentExecutor:
    """Answers write requests."""

    def execute(self, request: WriteRequest, stage: Stage) -> Ack:
        """Write the text of the request."""
        began = time.monotonic()
        text = request.document.text or ""
        kept = stage.folder.write(layout.DOCUMENT, text)
        document = write_document(stage.run, request.document.path, text.encode())
        return Ack(
            request_id=request.id,
            status="ok",
            seconds=round(time.monotonic() - began, 6),
            notes=f"wrote {document.path}",
            evidence=(kept, document),
        )
