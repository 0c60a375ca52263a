"""``find``: the workflow that fits the goal, and pages of the web where guardrails allow them."""

from __future__ import annotations

from custody.checks.gates import Gate
from custody.checks.gates.find import FindGate
from custody.checks.gates.writes import WritesGate
from custody.handlers import Handler, Situation
from custody.model import layout
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.request import StepRequest

DEFAULT_TIMEOUT = 300.0


class FindHandler(Handler):
    """Asks the registry of workflows, and perhaps the web."""

    type = NodeType(
        name="find",
        doc="The workflow that fits the goal is written to `artifacts/find_result.json`; where "
        "`artifacts/guardrails.md` allows it, pages of the web to `artifacts/find_web.json`.",
        attributes=(
            AttributeRule(
                name="query", kind="string", doc="What is looked for; default: the run's goal."
            ),
            AttributeRule(
                name="urls",
                kind="list",
                doc="Pages that are read before any search, where the guardrails allow them.",
            ),
        ),
    )

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge what was found, and that nothing else came of it."""
        return (WritesGate.of(node), FindGate())

    def request(self, node: Node, situation: Situation) -> StepRequest:
        """Ask for what fits the goal."""
        rails = situation.state.documents.get(layout.GUARDRAILS)
        settings = {"goal": situation.expand(node.text("query", "$goal"))}
        if urls := [situation.expand(url) for url in node.items("urls")]:
            settings["urls"] = " ".join(urls)
        return StepRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            step="find",
            inputs={} if rails is None else {"guardrails": rails},
            settings=settings,
            writes=(layout.FIND_RESULT, layout.FIND_WEB),
        )
