"""``verify``: the commands of a gate judge a change, and every gate of its plan must have spoken.

Where a survey of the work was made, plan and catalog are judged by it: what the patch has made of
the behaviors counts, and each result must have its evidence. The commands are the lines of the
pipeline's variable that is called like the gate, ``lite`` or ``full``. What they change is thrown
away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from custody.checks.gates import Case, Gate
from custody.checks.gates.behavior_catalog_check import BehaviorCatalogCheck
from custody.checks.gates.full import FullGate
from custody.checks.gates.gates_executed import GatesExecuted
from custody.checks.gates.lite import LiteGate
from custody.checks.gates.plan_check import PlanCheck
from custody.checks.gates.writes import WritesGate
from custody.errors import Refused
from custody.handlers import Handler, Situation
from custody.handlers.network import NETWORK, check_network, network_of
from custody.handlers.rounds import ROUNDS, iteration, max_iterations
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.outcome import Outcome
from custody.model.record import decode, encode_pretty
from custody.model.request import VerificationRequest
from custody.model.verdict import Verdict
from custody.model.verify_event import (
    VERIFY_FAILED,
    VERIFY_PASSED,
    VERIFY_STARTED,
    AnyAnnouncement,
)

if TYPE_CHECKING:
    from custody.model.plan import CommandResult

DEFAULT_TIMEOUT = 600.0
LOG_LIMIT = 1 << 20
"""Bytes of each stream that the logs of a change hold: its end."""
FULL_DUE = "verify.full_due"
"""In the context: whether the gate ``full`` is still to come."""
SURVEYED = "surveyed"
_LEFT = frozenset({layout.VERIFY_REPORT, *layout.VERIFY_LOGS, layout.TRACE_PAGE})
"""What is there as soon as a round has been judged: it can be evidence of any result."""


class _ButFull(GatesExecuted):
    """Asks for every gate of the plan but the one that comes next."""

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find gates that were not executed, the gate ``full`` left out."""
        yield from (verdict for verdict in super().judge(case) if verdict.subject != "full")


class VerifyHandler(Handler):
    """Runs the commands of a gate."""

    type = NodeType(
        name="verify",
        doc="The commands of a gate judge a change, and every gate of its plan must have spoken.",
        leaves_output=True,
        attributes=(
            AttributeRule(
                name="gate",
                kind="string",
                doc="Whose commands: those of the variable of that name; default: `lite`.",
                choices=("lite", "full"),
            ),
            AttributeRule(
                name=SURVEYED,
                kind="boolean",
                doc="Whether the work was surveyed, so that `behavior_catalog_check` and "
                "`plan_check`, with the evidence of every result, judge it; default: false.",
            ),
            ROUNDS,
            NETWORK,
        ),
        check=check_network,
    )
    announces = True

    def starts_programs(self, node: Node, agent: str) -> bool:  # noqa: ARG002
        """Say yes: commands are programs."""
        return True

    def gates(self, node: Node) -> tuple[Gate, ...]:
        """Ask for every command, then for every gate of the plan."""
        surveyed: tuple[Gate, ...] = ()
        if node.flag(SURVEYED):
            surveyed = (PlanCheck(check_evidence=True, left=_LEFT), BehaviorCatalogCheck())
        if _gate(node) == "lite":
            return (WritesGate.of(node), LiteGate(), *surveyed, _ButFull())
        return (WritesGate.of(node), FullGate(), *surveyed, GatesExecuted())

    def outcome(self, node: Node, case: Case) -> Outcome:
        """Say whether the plan wants the gate `full` as well."""
        from custody.pipeline.contracts.plan import read_plan

        outcome = super().outcome(node, case)
        plan = read_plan(case.document(layout.PLAN) or b"").draft
        due = "true" if "full" in plan.gates and _gate(node) == "lite" else "false"
        return replace(outcome, context_updates={**outcome.context_updates, FULL_DUE: due})

    def request(self, node: Node, situation: Situation) -> VerificationRequest:
        """Ask for the commands; raises `Refused` where there are none."""
        from custody.checks.guards.plan import admit_required
        from custody.model.plan import VerificationPlan

        gate = _gate(node)
        texts = [line.strip() for line in situation.values.get(gate, "").splitlines()]
        texts = [text for text in texts if text]
        if not texts:
            hint = f"--{gate} CMD, or {gate} = [...] in [change] of custody.toml"
            raise Refused("no_command", f"the gate {gate} has no command", hint=hint)
        lines = admit_required(texts, "", situation.version)
        plan = VerificationPlan(commands=tuple(line.text for line in lines))
        return VerificationRequest(
            id=situation.request_id,
            timeout=node.seconds("timeout", DEFAULT_TIMEOUT),
            network=network_of(node),
            plan=Evidence.of_text(
                f"{situation.folder}/{layout.VERIFICATION_PLAN}", encode_pretty(plan).decode()
            ),
            required_files=(),
            lines=lines,
            required=len(lines),
        )

    def opening(self, node: Node, situation: Situation) -> AnyAnnouncement | None:
        """Tell that it begins."""
        return VERIFY_STARTED(node=node.id, iteration=iteration(node, situation), gate=_gate(node))

    def closing(
        self,
        node: Node,
        situation: Situation,
        case: Case,
        outcome: Outcome,
        verdicts: tuple[Verdict, ...],
    ) -> AnyAnnouncement | None:
        """Tell how it ended, with the report and what the commands printed."""
        from custody.views.verify_report import ChangeRound, report

        gate, number = _gate(node), iteration(node, situation)
        now = ChangeRound(gate, number, max_iterations(situation), situation.state.documents)
        passed = outcome.status == "success"
        reason = "" if passed else outcome.failure_reason or outcome.status
        found = () if passed else verdicts or outcome.refused
        documents = (report(now, found, _commands(case), reason=reason), *_logs(case))
        if passed:
            return VERIFY_PASSED(node=node.id, iteration=number, gate=gate, documents=documents)
        return VERIFY_FAILED(
            node=node.id, iteration=number, gate=gate, reason=reason, documents=documents
        )


def _gate(node: Node) -> str:
    return node.text("gate", "lite")


def _commands(case: Case) -> tuple[CommandResult, ...]:
    from custody.model.plan import VerificationResults

    data = case.text(layout.VERIFICATION_RESULTS).encode()
    if not data:
        return ()
    return decode(data, VerificationResults, where=layout.VERIFICATION_RESULTS).commands


def _logs(case: Case) -> Iterator[Evidence]:
    for stream, path in enumerate(layout.VERIFY_LOGS):
        streams = [e for e in case.ack.evidence if layout.is_command_stream(e.path, stream)]
        texts = [case.read(item)[-LOG_LIMIT:].decode(errors="replace") for item in streams]
        yield Evidence.of_text(path, "".join(texts))
