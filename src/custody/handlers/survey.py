"""``survey``: what the repository says of its behaviors is written down, and judged.

Where that is left to a later stage, the survey is kept whatever it says.
"""

from __future__ import annotations

from custody.checks.gates import Gate
from custody.checks.gates.artifact import LATER
from custody.checks.gates.behavior_catalog_check import BehaviorCatalogCheck
from custody.handlers import Handler, Situation
from custody.model import layout
from custody.model.graph import Node, NodeType
from custody.model.request import StepRequest

DEFAULT_TIMEOUT = 300.0


class SurveyHandler(Handler):
    """Asks for the survey of the workspace."""

    type = NodeType(
        name="survey",
        doc="What the repository says of its behaviors is written down, and judged.",
        attributes=(LATER,),
    )

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge whether code, index and pages fit together, unless a later stage does."""
        return () if node.flag(LATER.name) else (BehaviorCatalogCheck(),)

    def request(self, node: Node, situation: Situation) -> StepRequest:
        """Ask for it; evidence is looked for where results are described already."""
        from custody.executors.steps.survey import EXPECTED

        expected = situation.state.documents.get(layout.EXPECTED_RESULTS)
        return StepRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            step="survey",
            inputs={} if expected is None else {EXPECTED: expected},
            writes=(layout.SURVEY,),
        )
