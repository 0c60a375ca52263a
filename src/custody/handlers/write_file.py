"""``write_file``: a text is written to a document of the run."""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates import Gate
from custody.checks.gates.artifacts import ArtifactsGate
from custody.checks.gates.writes import WritesGate
from custody.errors import PathRefused
from custody.handlers import Handler, Situation
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.request import WriteRequest
from custody.pipeline.document import text_path
from custody.pipeline.vocabulary import INGEST

DEFAULT_TIMEOUT = 60.0
OUTPUT_PATH = AttributeRule(
    name="output_path",
    kind="string",
    required=True,
    doc="Where, under `docs/` or `audits/` of the run directory.",
)


def check_output_path(node: Node) -> Iterator[Finding]:
    """Find a path that no document can have; one with names in it is judged by the run."""
    output = node.attributes.get("output_path")
    if output is None or "$" in str(output.value):
        return
    try:
        text_path(str(output.value))
    except PathRefused as refused:
        yield output.finding(refused.code, refused.what)


class WriteFileHandler(Handler):
    """Writes one document."""

    type = NodeType(
        name="write_file",
        doc="A text is written to a document of the run.",
        side_by_side=True,
        attributes=(
            AttributeRule(name="content", kind="string", required=True, doc="The text."),
            OUTPUT_PATH,
            *INGEST,
        ),
        check=check_output_path,
    )

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge what was taken out of the document, where anything was."""
        return (WritesGate.of(node), ArtifactsGate())

    def request(self, node: Node, situation: Situation) -> WriteRequest:
        """Ask for the document to be written."""
        path = text_path(situation.expand(node.text("output_path")))
        return WriteRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            document=Evidence.of_text(str(path), situation.expand(node.text("content"))),
        )
