"""``codergen``: an agent works in the workspace.

The agent is told what the pipeline's author wrote, and what failed last; nothing of the
pipeline itself (its nodes, routes, checks or limits) reaches the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator

from custody.checks.gates.json_schema import read_schema
from custody.errors import MalformedDocument
from custody.handlers import Handler, Situation
from custody.handlers.agent_settings import RULES, WITHOUT_PROGRAMS, check_settings, settings_of
from custody.handlers.network import NETWORK, check_network, network_of
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.outcome import OUTCOMES
from custody.model.request import AgentRequest
from custody.model.scope import Scope

DEFAULT_TIMEOUT = 1800.0
FEEDBACK_HEADING = "## What failed last time"


def build_prompt(node: Node, situation: Situation) -> str:
    """Return what the agent is told, and nothing more."""
    task = situation.expand(node.text("prompt")).strip()
    feedback = _feedback(situation.scope)
    return f"{task}\n\n{FEEDBACK_HEADING}\n\n{feedback}\n" if feedback else f"{task}\n"


def _feedback(scope: Scope) -> str:
    failure = scope.last_failure
    return str(failure.get("summary") or failure.get("reason") or "").strip()


def check_agent_node(node: Node) -> Iterator[Finding]:
    """Find settings of agents that cannot be meant, and outcomes that do not exist."""
    yield from check_settings(node)
    yield from check_network(node)
    yield from _check_schema(node)
    for name in ("test.outcome", "test.outcome_sequence"):
        script = node.attributes.get(name)
        for word in filter(None, node.items(name)):
            if script is not None and word not in OUTCOMES:
                yield Finding(
                    code="attribute",
                    message=f"{name} knows no outcome {word!r}",
                    line=script.position.line,
                    column=script.position.column,
                    hint=f"one of {', '.join(OUTCOMES)}",
                )


def _check_schema(node: Node) -> Iterator[Finding]:
    schema = node.attributes.get("response_schema")
    if schema is None:
        return
    try:
        read_schema(str(schema.value))
    except MalformedDocument as malformed:
        yield schema.finding("attribute", f"response_schema: {malformed.what}")
    if "response_context" not in node.attributes:
        hint = "say where the block goes: response_context=…"
        yield schema.finding("attribute", "response_schema without response_context", hint)


ASKING = (
    AttributeRule(
        name="prompt", kind="string", required=True, doc="What the agent is asked to do."
    ),
    AttributeRule(name="agent", kind="string", doc="Which agent; default: the run's."),
    AttributeRule(
        name="response_context",
        kind="string",
        doc="Context key that takes the JSON block which the response must hold.",
    ),
    AttributeRule(
        name="response_schema",
        kind="string",
        doc="JSON Schema that the block must fit; a response that does not fit is a failure.",
    ),
    NETWORK,
    *RULES,
)
"""What every node says that asks an agent."""


class Codergen(Handler):
    """Asks an agent."""

    type = NodeType(
        name="codergen",
        shape="box",
        doc="An agent works in the workspace.",
        attributes=ASKING,
        check=check_agent_node,
    )

    def starts_programs(self, node: Node, agent: str) -> bool:
        """Tell the agents apart that are programs."""
        return node.text("agent", agent).partition(":")[0] not in WITHOUT_PROGRAMS

    def request(self, node: Node, situation: Situation) -> AgentRequest:
        """Ask the node's agent, or the run's."""
        prompt = build_prompt(node, situation)
        return AgentRequest(
            id=situation.request_id(node),
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            network=network_of(node),
            agent=node.text("agent", situation.agent),
            prompt=Evidence.of_text(f"{situation.folder(node)}/prompt.md", prompt),
            call=situation.state.attempts.get(node.id, 0) + 1,
            response_context=node.text("response_context"),
            response_schema=node.text("response_schema"),
            settings=settings_of(node),
        )
