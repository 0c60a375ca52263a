"""``codergen``: an agent works in the workspace.

The agent is told what the pipeline's author wrote, and what failed last; nothing of the
pipeline itself (its nodes, routes, checks or limits) reaches the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from custody.checks.gates import Case, Gate
from custody.checks.gates.response import (
    CONTEXT,
    SCHEMA,
    ResponseGate,
    check_schema,
    json_block,
    offered_plan,
)
from custody.checks.gates.writes import WritesGate
from custody.handlers import Handler, Situation
from custody.handlers.agent_settings import SETTINGS, settings_of
from custody.handlers.network import NETWORK, check_network, network_of
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import ROLE, AttributeRule, Node, NodeType
from custody.model.need import Need
from custody.model.outcome import Outcome
from custody.model.request import PLAN_KEY, AgentRequest

DEFAULT_TIMEOUT = 1800.0
FEEDBACK_HEADING = "## What failed last time"


def build_prompt(node: Node, situation: Situation) -> str:
    """Return what the agent is told, and nothing more."""
    task = situation.expand(node.text("prompt")).strip()
    feedback = _feedback(situation)
    return f"{task}\n\n{FEEDBACK_HEADING}\n\n{feedback}\n" if feedback else f"{task}\n"


def _feedback(situation: Situation) -> str:
    """Return what failed: a command by its first line and its streams, the rest as it was told."""
    summary, output = situation.last_failure()
    if output is None or not situation.version.outputs_quoted:
        return summary
    from custody.handlers.output import told

    headline = summary.partition("\n")[0]
    return f"{headline}\n\n{told(output, situation.recorded, situation.output_limit)}".strip()


def check_agent_node(node: Node) -> Iterator[Finding]:
    """Find a network and a schema that cannot be meant."""
    yield from check_network(node)
    yield from _check_response(node)


def _check_response(node: Node) -> Iterator[Finding]:
    yield from check_schema(node)
    schema = node.attributes.get(SCHEMA.name)
    if schema is not None and CONTEXT.name not in node.attributes:
        hint = f"say where the block goes: {CONTEXT.name}=…"
        yield schema.finding("attribute", f"{SCHEMA.name} without {CONTEXT.name}", hint)


ASKING = (
    AttributeRule(
        name="prompt", kind="string", required=True, doc="What the agent is asked to do."
    ),
    AttributeRule(
        name="agent",
        kind="string",
        doc="Which agent; default: who has the node's role, else the run's.",
    ),
    AttributeRule(
        name=ROLE,
        kind="string",
        doc="What the agent is here, such as `chair`; `--role` says who that is.",
    ),
    CONTEXT,
    SCHEMA,
    NETWORK,
)
"""What every node says that asks an agent, beside the agent's own settings."""


class CodergenHandler(Handler):
    """Asks an agent."""

    type = NodeType(
        name="codergen",
        shape="box",
        doc="An agent works in the workspace.",
        attributes=ASKING,
        families=SETTINGS,
        check=check_agent_node,
    )

    takes_plan: ClassVar[bool] = True
    """Whether a plan in the response is meant for a verification."""

    def starts_programs(self, node: Node, agent: str) -> bool:
        """Say what the agent says of itself; one that is not known may start any."""
        from custody.executors.registry import agent_type

        kind = agent_type(node.text("agent", agent))
        return kind is None or kind.starts_programs

    def needs(self, node: Node, agent: str, environment: Mapping[str, str]) -> Iterator[Need]:
        """Yield what the agent says that it needs, with the node's settings."""
        from custody.executors.registry import needs_of

        spec = node.text("agent", agent)
        yield from needs_of(spec, settings_of(node, spec), environment)

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge what was changed, and the data that was asked for."""
        writes = WritesGate.of(node)
        return (writes, ResponseGate.of(node)) if node.text(CONTEXT.name) else (writes,)

    def outcome(self, node: Node, case: Case) -> Outcome:
        """Put the response's JSON block into the context, where one was asked for."""
        outcome = super().outcome(node, case)
        if case.ack.status != "ok":
            return outcome
        if key := node.text(CONTEXT.name):
            found = {key: json_block(case.text(layout.RESPONSE))}
        else:
            found = self._offered(case)
        if not found:
            return outcome
        return replace(outcome, context_updates={**outcome.context_updates, **found})

    def _offered(self, case: Case) -> dict[str, Any]:
        """Return the verification plan that the response holds, though none was asked for."""
        if not self.takes_plan or not case.version.plans_offered:
            return {}
        plan = offered_plan(case.text(layout.RESPONSE))
        return {} if plan is None else {PLAN_KEY: plan}

    def request(self, node: Node, situation: Situation) -> AgentRequest:
        """Ask the node's agent, or the run's."""
        prompt = build_prompt(node, situation)
        agent = node.text("agent", situation.agent)
        return AgentRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            network=network_of(node),
            agent=agent,
            prompt=Evidence.of_text(f"{situation.folder}/{layout.PROMPT}", prompt),
            call=situation.state.attempts.get(node.id, 0) + 1,
            response_context=node.text(CONTEXT.name),
            response_schema=node.text(SCHEMA.name),
            settings=settings_of(node, agent),
        )
