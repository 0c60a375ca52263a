"""What gates make of an attempt. Pure: the same record gives the same verdicts, always.

Refusals come before failures, and among each the first gate's word counts. A gate node is asked
about another stage's record; what is not recorded there, or was not carried out, does not pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from custody.checks.gates import Case, Gate
from custody.handlers import acknowledged
from custody.model.event import GateFailed, GatePassed
from custody.model.graph import Node
from custody.model.outcome import Outcome
from custody.model.verdict import GateResult, Verdict


class Judgement(msgspec.Struct, frozen=True):
    """What one gate says."""

    gate: Gate
    verdicts: tuple[Verdict, ...]
    """What is wrong; empty when it is passed."""

    @property
    def reason(self) -> str:
        """Why the attempt did not pass."""
        return self.gate.reason(self.verdicts)

    def fact(self, node: Node, visit: int, attempt: int) -> GatePassed | GateFailed:
        """Return the judgement as the journal keeps it."""
        name = self.gate.name
        if not self.verdicts:
            return GatePassed(node=node.id, visit=visit, attempt=attempt, gate=name)
        return GateFailed(
            node=node.id,
            visit=visit,
            attempt=attempt,
            gate=name,
            effect=self.gate.effect,
            reason=self.reason,
            verdicts=self.verdicts,
        )


def judge(gates: Sequence[Gate], case: Case) -> list[Judgement]:
    """Ask each gate that has something to judge; each knows what those before it said."""
    judgements: list[Judgement] = []
    said: dict[str, GateResult] = {}
    for gate in gates:
        known = replace(case, executed={**case.executed, **said}) if said else case
        if gate.applies(known):
            verdicts = tuple(gate.judge(known))
            said[gate.name] = "failed" if verdicts else "passed"
            judgements.append(Judgement(gate, verdicts))
    return judgements


def judge_stage(gates: Sequence[Gate], stage: str, case: Case | None) -> list[Judgement]:
    """Ask gates about the last answer of a stage; one that has nothing to judge is not passed."""
    return [Judgement(gate, tuple(_judge_recorded(gate, stage, case))) for gate in gates]


def _judge_recorded(gate: Gate, stage: str, case: Case | None) -> Iterator[Verdict]:
    if case is None:
        yield gate.wrong("not_recorded", f"no answer of stage {stage} is recorded", stage)
    elif not gate.applies(case):
        why = case.ack.failure_reason or case.ack.status
        yield gate.wrong("not_judged", f"stage {stage} left nothing to judge: {why}", stage)
    else:
        yield from gate.judge(case)


def failed_outcome(judgements: Sequence[Judgement], case: Case) -> Outcome | None:
    """Return the outcome of an attempt that was refused or failed; None when it passed."""
    failed = [each for each in judgements if each.verdicts]
    if not failed and not case.ack.verdicts:
        return None
    refusals = [each for each in failed if each.gate.effect == "refuse"]
    failures = [each for each in failed if each.gate.effect == "fail"]
    if refusals:
        verdicts = tuple(verdict for each in refusals for verdict in each.verdicts)
        return Outcome(
            status="fail",
            failure_reason=refusals[0].reason,
            refused=(*case.ack.verdicts, *verdicts),
        )
    outcome = acknowledged(case.ack)
    if failures and not outcome.refused:
        return replace(outcome, status="fail", failure_reason=failures[0].reason)
    return outcome if outcome.refused else None
