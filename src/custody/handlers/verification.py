"""``verification``: what the pipeline demands and what a plan adds, judged first and then run.

The commands that the node names (``verification.required_commands``) are run whatever a plan
says, and before those of the plan, on what the stages before have left. What each command of such
a stage changes is thrown away: neither code under test nor a plan's command can prepare what the
next one finds. Without them a verification rests on a plan alone, which an agent may have
written; `custody check` warns of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET
from msgspec.structs import replace

from custody.checks.gates import Gate
from custody.checks.gates.verification import VerificationGate
from custody.checks.gates.writes import WritesGate
from custody.errors import CommandRefused, MalformedDocument, Refused
from custody.handlers import Handler, Situation, programs_of
from custody.handlers.network import NETWORK, check_network, network_of
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.need import Need
from custody.model.record import encode_pretty
from custody.model.request import PLAN_KEY, CommandLine, VerificationRequest
from custody.pipeline.messages import found, shown

if TYPE_CHECKING:
    from custody.model.plan import VerificationPlan

DEFAULT_TIMEOUT = 600.0
ALLOWED = "verification.allowed_commands"
REQUIRED = "verification.required_commands"


def _check(node: Node) -> Iterator[Finding]:
    faults = [*check_network(node), *_check_commands(node)]
    yield from faults
    if not faults and not node.text(REQUIRED).strip():
        what = f"{shown(node.id)} runs no command but those of a plan, which an agent may choose"
        hint = f"name a check that is the pipeline's own: {REQUIRED}=…"
        yield found("own_check", what, node.position, hint, "warning")


def _check_commands(node: Node) -> Iterator[Finding]:
    """Find commands that cannot be read, and a node without any."""
    from custody.checks.guards.command import read_allowed
    from custody.checks.guards.plan import admit_required

    readers: dict[str, Callable[[Sequence[str]], object]] = {
        REQUIRED: admit_required,
        ALLOWED: read_allowed,
    }
    for name, read in readers.items():
        attribute = node.attributes.get(name)
        if attribute is None or not str(attribute.value).strip():
            continue
        try:
            read(node.items(name))
        except CommandRefused as refused:
            yield attribute.finding("attribute", refused.what, refused.hint)
    if not any(node.text(name).strip() for name in readers):
        what = f"node {shown(node.id)} of type {node.type} needs {shown(REQUIRED)}"
        yield found("attribute", what, node.position, f"write {REQUIRED}=… into its list")


class VerificationHandler(Handler):
    """Runs what the node demands, and the plan that the context holds as far as it is allowed."""

    type = NodeType(
        name="verification",
        doc="Commands that judge the work: those that are demanded, and a structured plan's.",
        leaves_output=True,
        attributes=(
            AttributeRule(
                name=REQUIRED,
                kind="list",
                doc="Commands that are run whatever a plan says; what each changes is thrown away.",
            ),
            AttributeRule(
                name=ALLOWED,
                kind="list",
                doc="What the plan's commands may start with, word by word; default: nothing.",
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

    def needs(
        self,
        node: Node,
        agent: str,  # noqa: ARG002
        environment: Mapping[str, str],  # noqa: ARG002
    ) -> Iterator[Need]:
        """Yield the programs of the commands that are demanded."""
        from custody.checks.guards.plan import admit_required

        if node.text(REQUIRED).strip():
            for line in admit_required(node.items(REQUIRED), node.text("verification.workdir")):
                yield from programs_of(line)

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Ask for every check of the plan."""
        return (WritesGate.of(node), VerificationGate())

    def request(self, node: Node, situation: Situation) -> VerificationRequest:
        """Ask for what is demanded and for the plan, or refuse it."""
        from custody.checks.guards.plan import admit_plan, admit_required

        workdir = node.text("verification.workdir")
        demands = bool(node.text(REQUIRED).strip())
        version = situation.version
        required = admit_required(node.items(REQUIRED) if demands else (), workdir, version)
        plan = _without(_plan_of(situation, may_be_empty=demands), required)
        files, added = admit_plan(plan, node.items(ALLOWED), workdir, version)
        whole = replace(plan, commands=(*(line.text for line in required), *plan.commands))
        return VerificationRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            network=network_of(node),
            plan=Evidence.of_text(
                f"{situation.folder}/{layout.VERIFICATION_PLAN}", encode_pretty(whole).decode()
            ),
            required_files=tuple(str(path) for path in files),
            lines=(*required, *added),
            required=len(required) or UNSET,
        )


def _plan_of(situation: Situation, *, may_be_empty: bool) -> VerificationPlan:
    from custody.checks.guards.plan import read_plan
    from custody.model.plan import VerificationPlan

    value = situation.scope.context.get(PLAN_KEY)
    if value is None and may_be_empty:
        return VerificationPlan()
    if value is None:
        raise Refused(
            "plan",
            "verification plan missing",
            hint=f"an earlier stage must set {PLAN_KEY} in the context",
        )
    try:
        return read_plan(
            value, where=PLAN_KEY, may_be_empty=may_be_empty, version=situation.version
        )
    except MalformedDocument as error:
        raise Refused("plan", f"verification plan malformed: {error.what}") from None


def _without(plan: VerificationPlan, required: tuple[CommandLine, ...]) -> VerificationPlan:
    """Return what a plan adds to what is run anyway."""
    known = {line.text for line in required}
    return replace(plan, commands=tuple(text for text in plan.commands if text not in known))
