"""``codergen``: an agent works in the workspace.

The agent is told what the pipeline's author wrote, and what failed last; nothing of the
pipeline itself (its nodes, routes, checks or limits) reaches the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator

from custody.handlers import Handler, Situation
from custody.handlers.agent_settings import RULES, WITHOUT_PROGRAMS, check_settings, settings_of
from custody.handlers.network import NETWORK, check_network, network_of
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.outcome import OUTCOMES
from custody.model.request import AgentRequest
from custody.model.state import State
from custody.pipeline.template import expand

DEFAULT_TIMEOUT = 1800.0
FEEDBACK_HEADING = "## What failed last time"


def build_prompt(node: Node, situation: Situation) -> str:
    """Return what the agent is told, and nothing more."""
    task = expand(node.text("prompt"), situation.template_values()).strip()
    feedback = _feedback(situation.state)
    return f"{task}\n\n{FEEDBACK_HEADING}\n\n{feedback}\n" if feedback else f"{task}\n"


def _feedback(state: State) -> str:
    failure = state.last_failure
    return str(failure.get("summary") or failure.get("reason") or "").strip()


def _check(node: Node) -> Iterator[Finding]:
    """Find settings of agents that cannot be meant, and outcomes that do not exist."""
    yield from check_settings(node)
    yield from check_network(node)
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


class Codergen(Handler):
    """Asks an agent."""

    type = NodeType(
        name="codergen",
        shape="box",
        doc="An agent works in the workspace.",
        attributes=(
            AttributeRule(
                name="prompt", kind="string", required=True, doc="What the agent is asked to do."
            ),
            AttributeRule(name="agent", kind="string", doc="Which agent; default: the run's."),
            AttributeRule(
                name="response_context",
                kind="string",
                doc="Context key that takes the JSON block which the response must hold.",
            ),
            NETWORK,
            *RULES,
        ),
        check=_check,
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
            settings=settings_of(node),
        )
