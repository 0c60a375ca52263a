"""``bundle``: everything that explains a failed change is put into one file."""

from __future__ import annotations

from custody.checks.gates import Case
from custody.handlers import Handler, Situation
from custody.handlers.rounds import ROUNDS, iteration, max_iterations
from custody.model import layout
from custody.model.graph import Node, NodeType
from custody.model.outcome import Outcome
from custody.model.request import StepRequest
from custody.model.verdict import Verdict
from custody.model.verify_event import BUNDLE_CREATED, AnyAnnouncement

DEFAULT_TIMEOUT = 120.0


class BundleHandler(Handler):
    """Makes ``failure_bundle.zip``."""

    type = NodeType(
        name="bundle",
        doc="Everything that explains a failed change is put into one file.",
        attributes=(ROUNDS,),
    )
    announces = True

    def request(self, node: Node, situation: Situation) -> StepRequest:
        """Ask for the file, with the failure that it explains."""
        state = situation.state
        told, _ = situation.last_failure()
        failure = situation.scope.last_failure
        return StepRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            step="bundle",
            inputs=dict(state.documents),
            settings={
                "node": str(failure.get("node", "")),
                "reason": str(failure.get("reason") or told),
                "iteration": str(iteration(node, situation)),
                "max_iterations": str(max_iterations(situation)),
            },
            writes=(layout.BUNDLE, layout.VERIFY_REPORT),
        )

    def closing(
        self,
        node: Node,
        situation: Situation,
        case: Case,
        outcome: Outcome,
        verdicts: tuple[Verdict, ...],
    ) -> AnyAnnouncement | None:
        """Tell that it is there."""
        del outcome, verdicts
        made = next((item for item in case.ack.evidence if item.path == layout.BUNDLE), None)
        if made is None:
            return None
        return BUNDLE_CREATED(node=node.id, iteration=iteration(node, situation), bundle=made)
