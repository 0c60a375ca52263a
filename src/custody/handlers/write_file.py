"""``write_file``: a text is written to a document of the run."""

from __future__ import annotations

from collections.abc import Iterator

from custody.errors import PathRefused
from custody.handlers import Handler, Situation
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.relpath import RelPath
from custody.model.request import WriteRequest
from custody.pipeline.template import expand

DEFAULT_TIMEOUT = 60.0
HOMES = ("docs", "audits")


def document_path(text: str) -> RelPath:
    """Return the path of a document; raises `PathRefused` unless it lies under a home."""
    path = RelPath.parse(text)
    if path.parts[0] not in HOMES or len(path.parts) == 1:
        raise PathRefused(
            "output_path",
            f"a document lies under {' or '.join(f'{home}/' for home in HOMES)}, not at {text!r}",
        )
    return path


def _check(node: Node) -> Iterator[Finding]:
    output = node.attributes.get("output_path")
    if output is None or "$" in str(output.value):
        return
    try:
        document_path(str(output.value))
    except PathRefused as refused:
        yield output.finding(refused.code, refused.what)


class WriteFile(Handler):
    """Writes one document."""

    type = NodeType(
        name="write_file",
        doc="A text is written to a document of the run.",
        attributes=(
            AttributeRule(name="content", kind="string", required=True, doc="The text."),
            AttributeRule(
                name="output_path",
                kind="string",
                required=True,
                doc="Where, under `docs/` or `audits/` of the run directory.",
            ),
        ),
        check=_check,
    )

    def request(self, node: Node, situation: Situation) -> WriteRequest:
        """Ask for the document to be written."""
        values = situation.template_values()
        path = document_path(expand(node.text("output_path"), values))
        return WriteRequest(
            id=situation.request_id(node),
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            document=Evidence.of_text(str(path), expand(node.text("content"), values)),
        )
