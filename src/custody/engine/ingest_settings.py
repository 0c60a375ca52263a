"""Whether the blocks of a document become files of the workspace, and how many. Pure.

    ingest                  yes or no
    ingest.max_files        how many files
    ingest.max_bytes        bytes of one of them
    ingest.max_total_bytes  bytes of all together

Each may stand on the node that writes the document, and on the graph for all of its nodes; of
graphs that an `each` node runs the innermost that says something counts. Where nobody says
whether, the run does.
"""

from __future__ import annotations

from msgspec.structs import replace

from custody.engine.frame import Frame
from custody.model.evidence import Evidence
from custody.model.graph import Node
from custody.model.ingest import IngestLimits, IngestSwitch
from custody.model.journal_version import JournalVersion
from custody.model.request import AgentRequest, AnyRequest, WriteRequest


def with_ingest(
    request: AnyRequest, frame: Frame, node: Node, switch: IngestSwitch, version: JournalVersion
) -> AnyRequest:
    """Return the request, told what to do with the blocks of the document that it writes.

    An agent is told the form that is read, since there is a version of the journal that says so.
    """
    writes = isinstance(request, WriteRequest) or (
        isinstance(request, AgentRequest) and bool(request.output_path)
    )
    if not writes or not _is_on(frame, node, switch):
        return request
    default = IngestLimits()
    limits = IngestLimits(
        files=_number(frame, node, "ingest.max_files", default.files),
        file_bytes=_number(frame, node, "ingest.max_bytes", default.file_bytes),
        total_bytes=_number(frame, node, "ingest.max_total_bytes", default.total_bytes),
    )
    if isinstance(request, AgentRequest) and version.ingest_asked:
        request = replace(request, prompt=_told_the_form(request.prompt))
    return replace(request, ingest=limits)


def _told_the_form(prompt: Evidence) -> Evidence:
    from custody.ingest.asking import asked

    return Evidence.of_text(prompt.path, asked(prompt.text or ""))


def _is_on(frame: Frame, node: Node, switch: IngestSwitch) -> bool:
    value = frame.said(node, "ingest")
    if switch == "forced" or value is None:
        return switch != "off"
    return value is True or value == "true"


def _number(frame: Frame, node: Node, name: str, default: int) -> int:
    value = frame.said(node, name)
    return default if value is None else int(str(value))
