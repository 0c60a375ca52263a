"""``stop``: whether a change may go into another round. Nothing is asked; the facts decide."""

from __future__ import annotations

from custody.errors import Refused
from custody.handlers import Handler, Situation
from custody.handlers.rounds import ROUNDS, stop_reason
from custody.model.graph import Node, NodeType


class StopHandler(Handler):
    """Fails when the guardrails or a stop condition of the plan end the change."""

    type = NodeType(
        name="stop",
        doc="Whether guardrails and the plan's stop conditions allow another round.",
        attributes=(ROUNDS,),
    )

    def request(self, node: Node, situation: Situation) -> None:
        """Ask nothing; raises `Refused` with what ends the change."""
        code, reason = stop_reason(node, situation)
        if reason:
            raise Refused(code, reason)
