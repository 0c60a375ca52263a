"""``verification``: a structured plan, judged first and then run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.checks.gates import Gate
from custody.checks.gates.verification import VerificationGate
from custody.checks.gates.writes import WritesGate
from custody.errors import CommandRefused, MalformedDocument, Refused
from custody.handlers import Handler, Situation
from custody.handlers.network import NETWORK, check_network, network_of
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.record import encode_pretty
from custody.model.request import VerificationRequest

if TYPE_CHECKING:
    from custody.model.plan import VerificationPlan

DEFAULT_TIMEOUT = 600.0
PLAN_KEY = "verification.plan"


def _check(node: Node) -> Iterator[Finding]:
    from custody.checks.guards.command import read_allowed

    yield from check_network(node)
    allowed = node.attributes.get("verification.allowed_commands")
    if allowed is None:
        return
    try:
        read_allowed(node.items(allowed.name))
    except CommandRefused as refused:
        yield allowed.finding("attribute", refused.what, refused.hint)


class VerificationHandler(Handler):
    """Runs the plan that the context holds, as far as the node allows it."""

    type = NodeType(
        name="verification",
        doc="A structured plan, checked and run.",
        attributes=(
            AttributeRule(
                name="verification.allowed_commands",
                kind="list",
                required=True,
                doc="What the plan's commands may start with, word by word.",
            ),
            AttributeRule(
                name="verification.workdir",
                kind="string",
                doc="Where commands run, relative to the workspace; default: its root.",
            ),
            NETWORK,
        ),
        check=_check,
    )

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Say yes: commands are programs."""
        return True

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Ask for every check of the plan."""
        return (WritesGate.of(node), VerificationGate())

    def request(self, node: Node, situation: Situation) -> VerificationRequest:
        """Ask for the plan, or refuse it."""
        from custody.checks.guards.plan import admit_plan

        plan = _plan_of(situation)
        files, lines = admit_plan(
            plan,
            node.items("verification.allowed_commands"),
            workdir=node.text("verification.workdir"),
        )
        return VerificationRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            network=network_of(node),
            plan=Evidence.of_text(
                f"{situation.folder}/{layout.VERIFICATION_PLAN}", encode_pretty(plan).decode()
            ),
            required_files=tuple(str(path) for path in files),
            lines=lines,
        )


def _plan_of(situation: Situation) -> VerificationPlan:
    from custody.checks.guards.plan import read_plan

    value = situation.scope.context.get(PLAN_KEY)
    if value is None:
        raise Refused(
            "plan",
            "verification plan missing",
            hint=f"an earlier stage must set {PLAN_KEY} in the context",
        )
    try:
        return read_plan(value, where=PLAN_KEY)
    except MalformedDocument as error:
        raise Refused("plan", f"verification plan malformed: {error.what}") from None
