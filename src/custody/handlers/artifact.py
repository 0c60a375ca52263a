"""``artifact``: whoever has a role is asked for one document of a change.

Its text becomes the document; the workspace may be looked at and not changed. A document that the
user handed in is kept, judged all the same, and nobody is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from custody.checks.gates import Gate
from custody.checks.gates.artifact import LATER, ArtifactGate
from custody.checks.gates.writes import WritesGate
from custody.errors import PathRefused
from custody.handlers import Handler, Situation
from custody.handlers.agent_settings import SETTINGS, settings_of
from custody.handlers.codergen import ASKING, CodergenHandler, check_agent_node
from custody.handlers.dispatch import briefs_for, by_target, dispatched
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import ROLE, AttributeRule, Node, NodeType
from custody.model.need import Need
from custody.model.request import AgentRequest
from custody.pipeline.document import document_path

ACTION = AttributeRule(
    name="action", kind="string", required=True, doc="What the role is to do, in one word."
)
TARGET = AttributeRule(
    name="target",
    kind="string",
    required=True,
    doc="The document, under `artifacts/` or `reviews/` of the run directory.",
)
ASKING_A_ROLE = (
    *(replace(rule, required=True) if rule.name == ROLE else rule for rule in ASKING),
    ACTION,
    TARGET,
    AttributeRule(
        name="keep_given",
        kind="boolean",
        doc="Whether a document that the user handed in is kept, and nobody asked; default: true.",
    ),
)


def check_target(node: Node) -> Iterator[Finding]:
    """Find a target that no document of a change can have."""
    yield from check_agent_node(node)
    target = node.attributes.get(TARGET.name)
    if target is None:
        return
    try:
        document_path(str(target.value), below=layout.CHANGE_FOLDERS)
    except PathRefused as refused:
        yield target.finding(refused.code, refused.what)


class ArtifactHandler(Handler):
    """Asks a role for a document."""

    type = NodeType(
        name="artifact",
        doc="Whoever has a role writes one document of a change.",
        side_by_side=True,
        attributes=(*ASKING_A_ROLE, LATER),
        families=SETTINGS,
        check=check_target,
    )

    def __init__(self) -> None:
        self._asking = CodergenHandler()

    def starts_programs(self, node: Node, agent: str) -> bool:
        """Say what the agent says of itself."""
        return self._asking.starts_programs(node, agent)

    def needs(self, node: Node, agent: str, environment: Mapping[str, str]) -> Iterator[Need]:
        """Yield what the agent says that it needs, to be asked for this document."""
        from custody.executors.registry import needs_of

        spec = node.text("agent", agent)
        settings = {**by_target(node.text(TARGET.name)), **settings_of(node, spec)}
        yield from needs_of(spec, settings, environment)

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge that nothing was changed, and the document by its name."""
        return (WritesGate.of(node), ArtifactGate.of(node))

    def request(self, node: Node, situation: Situation) -> AgentRequest | None:
        """Ask whoever has the role; nobody for a document that was handed in."""
        target = str(document_path(node.text(TARGET.name), below=layout.CHANGE_FOLDERS))
        if target in situation.state.given and node.flag("keep_given", default=True):
            return None
        request = self._asking.request(node, situation)
        briefs = briefs_for(request.agent, target, situation)
        prompt = request.prompt
        if briefs:
            texts = "".join(f"\n\n# {brief.path}\n\n{brief.text}" for brief in briefs)
            prompt = Evidence.of_text(prompt.path, f"{prompt.text}{texts}")
            request = replace(request, briefs=briefs)
        return replace(
            request,
            prompt=prompt,
            output_path=target,
            role=node.text(ROLE),
            action=node.text(ACTION.name),
            settings=dispatched(request.settings, target, situation),
        )
