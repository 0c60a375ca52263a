"""``review``: an artifact under ``reviews/`` whose verdict decides whether the change goes on."""

from __future__ import annotations

from custody.checks.gates import Gate
from custody.checks.gates.review import ReviewGate
from custody.handlers.agent_settings import SETTINGS
from custody.handlers.artifact import ASKING_A_ROLE, ArtifactHandler, check_target
from custody.model.graph import Node, NodeType


class ReviewHandler(ArtifactHandler):
    """Asks a role for a verdict; a missing one is never an approval."""

    type = NodeType(
        name="review",
        doc="Whoever has a role approves or blocks; a BLOCK fails the stage.",
        side_by_side=True,
        attributes=ASKING_A_ROLE,
        families=SETTINGS,
        check=check_target,
    )

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Ask for a verdict too, and for an approval."""
        return (*super().gates(node), ReviewGate.of(node))
