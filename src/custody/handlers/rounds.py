"""Rounds of a change: which one this is, how many there may be, and what ends them. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from custody.handlers import Situation
from custody.model import layout
from custody.model.graph import AttributeRule, Node
from custody.model.limits import LIMIT_EXCEEDED

if TYPE_CHECKING:
    from custody.pipeline.contracts.guardrails import Guardrails
    from custody.pipeline.contracts.plan import Plan, StopCondition

DEFAULT_ITERATIONS: Final = 3
ROUNDS = AttributeRule(
    name="rounds",
    kind="node",
    required=True,
    doc="The node that applies the patch; each visit of it is one round.",
)
_SCOPE = frozenset(
    {
        "scope", "root", "copy_source", "denied", "secret_file", "holdout", "not_allowed",
        "traversal", "absolute", "drive", "scheme", "backslash", "tilde", "dotgit",
    }
)  # fmt: skip
"""Codes of a patch that reaches for more than the plan gives, beyond the repository too."""
_BUDGET = frozenset({"max_files", "max_added_lines", "budget"})


def iteration(node: Node, situation: Situation) -> int:
    """Return the round that is under way."""
    counted = situation.prefix + node.text(ROUNDS.name)
    return max(1, situation.state.visits.get(counted, 0))


def max_iterations(situation: Situation) -> int:
    """Return how many rounds there may be, by whoever allows least."""
    return min(_limits(situation))


def _limits(situation: Situation) -> Iterator[int]:
    rules = guardrails(situation)
    yield rules.max_iterations if rules is not None else DEFAULT_ITERATIONS
    plan = signed_plan(situation)
    if plan.budgets.iterations is not None:
        yield plan.budgets.iterations
    yield from (stop.number for stop in plan.stop if stop.kind == "max_iterations")


def guardrails(situation: Situation) -> Guardrails | None:
    """Return the guardrails; None when there are none that could be relied on."""
    from custody.pipeline.contracts.guardrails import read_guardrails

    data = document(situation, layout.GUARDRAILS)
    return None if data is None else read_guardrails(data).sound


def signed_plan(situation: Situation) -> Plan:
    """Return the plan that counts; one that is not signed says nothing."""
    from custody.pipeline.contracts.plan import Plan, read_plan

    data = document(situation, layout.PLAN)
    found = None if data is None else read_plan(data).sound
    return found or Plan()


def document(situation: Situation, path: str) -> bytes | None:
    """Return what a document of the run holds; None when there is none."""
    written = situation.state.documents.get(path)
    return None if written is None else situation.read(written)


def stop_reason(node: Node, situation: Situation) -> tuple[str, str]:
    """Return code and reason of what ends the change here; two empty texts when nothing does."""
    done, most = iteration(node, situation), max_iterations(situation)
    if done >= most:
        return "max_iterations", f"max_iterations reached: {done} of {most}"
    for stop in signed_plan(situation).stop:
        if why := _met(stop, situation):
            return stop.kind, f"stop condition {stop.text}: {why}"
    return "", ""


def _met(stop: StopCondition, situation: Situation) -> str:
    state = situation.state
    outcome = state.outcome
    codes = {verdict.code for verdict in outcome.refused} if outcome is not None else set()
    reason = str(situation.scope.last_failure.get("reason", ""))
    """Not that of the last outcome: a patch that failed its commands was taken back since."""
    match stop.kind:
        case "same_failure":
            if state.repeated >= stop.number:
                return f"{state.repeated} times in a row: {reason}"
        case "gate":
            if state.gates.get(stop.gate) == "failed":
                return f"the gate {stop.gate} failed"
        case "scope_violation":
            if codes & _SCOPE:
                return reason
        case "budget_exceeded":
            if codes & _BUDGET or reason.startswith(LIMIT_EXCEEDED):
                return reason
    return ""
