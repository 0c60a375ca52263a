"""Whether every gate that the plan declares was executed, and passed.

plan          there is no plan that could be relied on
not_executed  a gate of the plan that was never asked, or had nothing to judge
failed        a gate of the plan whose last word is no
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from custody.checks.gates import Case, Gate
from custody.model import layout
from custody.model.verdict import Verdict

TOLD = 50
"""How many verdicts are told."""
SHOWN = 100
"""Characters of a name that are told."""


class GatesExecuted(Gate):
    """Compares the gates of the plan with those that were asked."""

    name = "gates_executed"
    doc = "Every gate that the plan declares was executed, and its last word is yes."

    def applies(self, case: Case) -> bool:  # noqa: ARG002
        """Judge always: what was not carried out was not executed."""
        return True

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find gates that were not executed, and those that failed, the first of them."""
        yield from islice(self._found(case), TOLD)

    def _found(self, case: Case) -> Iterator[Verdict]:
        from custody.checks.contracts import read_contract
        from custody.pipeline.contracts.plan import read_plan

        plan, wrong = read_contract(self.name, layout.PLAN, case.document(layout.PLAN), read_plan)
        for verdict in wrong:
            yield self.wrong("plan", verdict.reason, layout.PLAN)
        for gate in dict.fromkeys(plan.gates if plan is not None else ()):
            result = case.executed.get(gate)
            if result is None:
                what = f"the gate {gate[:SHOWN]} of the plan was not executed"
                yield self.wrong("not_executed", what, gate[:SHOWN])
            elif result == "failed":
                yield self.wrong("failed", f"the gate {gate} of the plan was failed", gate)
