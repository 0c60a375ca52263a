"""``patch``: the patch of a change is applied by git, in the sandbox, on the attempt's own layer.

With ``reverse`` the patch that was applied is taken back, so that the next one is the whole change
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from custody.checks.gates import Case, Gate
from custody.checks.gates.exit_code import ExitCodeGate
from custody.checks.gates.patch_check import PatchCheck
from custody.checks.gates.writes import WritesGate
from custody.errors import Refused
from custody.handlers import Handler, Situation
from custody.handlers.rounds import max_iterations
from custody.model import layout
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.need import Need
from custody.model.outcome import Outcome
from custody.model.request import StepRequest
from custody.model.verdict import Verdict
from custody.model.verify_event import AnyAnnouncement, PatchApplied, PatchRejected

DEFAULT_TIMEOUT = 120.0
REVERSE = "reverse"


class PatchHandler(Handler):
    """Lets git apply ``artifacts/diff.patch``."""

    type = NodeType(
        name="patch",
        doc="The patch of a change is checked and applied in the workspace.",
        attributes=(
            AttributeRule(
                name=REVERSE, kind="boolean", doc="Whether the applied patch is taken back instead."
            ),
        ),
    )
    announces = True

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Say yes: git is one."""
        return True

    def needs(
        self,
        node: Node,  # noqa: ARG002
        agent: str,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Need]:
        """Yield git."""
        yield Need(kind="program", names=("git",), hint="install it, or add its folder to PATH")

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Judge the patch, what git said and what was really changed."""
        writes = WritesGate.of(node)
        return (ExitCodeGate(), writes) if node.flag(REVERSE) else (PatchCheck.of(node), writes)

    def request(self, node: Node, situation: Situation) -> StepRequest:
        """Ask for the patch to be applied; raises `Refused` when there is none."""
        documents = situation.state.documents
        if layout.PATCH not in documents:
            raise Refused("missing", f"there is no {layout.PATCH}")
        reverse = node.flag(REVERSE)
        return StepRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            step="patch",
            inputs={"patch": documents[layout.PATCH]},
            settings={REVERSE: "true"} if reverse else {},
            writes=() if reverse else (layout.PATCH_RESULT, layout.PATCH_POLICY),
            network=("none",),
        )

    def closing(
        self,
        node: Node,
        situation: Situation,
        case: Case,
        outcome: Outcome,
        verdicts: tuple[Verdict, ...],
    ) -> AnyAnnouncement | None:
        """Tell whether the patch is part of the work; of one that is not, why."""
        del case
        if node.flag(REVERSE):
            return None
        number = situation.state.visits[node.id]
        if outcome.status == "success":
            return PatchApplied(node=node.id, iteration=number)
        from custody.views.review_patch import review_patch
        from custody.views.verify_report import ChangeRound, report

        found = verdicts or outcome.refused
        now = ChangeRound("lite", number, max_iterations(situation), situation.state.documents)
        reason = outcome.failure_reason
        return PatchRejected(
            node=node.id,
            iteration=number,
            reason=reason,
            documents=(
                review_patch(number, found, reason),
                report(now, found, reason=reason),
            ),
        )
