"""``agent_task``: an agent is asked as by ``codergen``, and its text becomes a document.

It may look at the workspace but not change it: what it has to say is the document.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from custody.checks.gates import Gate
from custody.checks.gates.artifacts import ArtifactsGate
from custody.checks.gates.document import DocumentGate
from custody.handlers import Situation
from custody.handlers.agent_settings import SETTINGS
from custody.handlers.codergen import ASKING, CodergenHandler, check_agent_node
from custody.handlers.write_file import OUTPUT_PATH, check_output_path
from custody.model.finding import Finding
from custody.model.graph import Node, NodeType
from custody.model.request import AgentRequest
from custody.pipeline.document import text_path
from custody.pipeline.vocabulary import INGEST


def _check(node: Node) -> Iterator[Finding]:
    yield from check_agent_node(node)
    yield from check_output_path(node)


class AgentTaskHandler(CodergenHandler):
    """Asks an agent for a text."""

    type = NodeType(
        name="agent_task",
        doc="An agent's text is written to a document of the run.",
        side_by_side=True,
        attributes=(*ASKING, OUTPUT_PATH, *INGEST),
        families=SETTINGS,
        check=_check,
    )

    takes_plan = False

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Ask for a document too, and judge what was taken out of it."""
        return (*super().gates(node), DocumentGate(), ArtifactsGate())

    def request(self, node: Node, situation: Situation) -> AgentRequest:
        """Ask the node's agent, or the run's, for the document."""
        path = text_path(situation.expand(node.text("output_path")))
        return replace(super().request(node, situation), output_path=str(path))
