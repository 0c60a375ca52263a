"""Every gate of the plan was asked, and none said no."""

from __future__ import annotations

import pytest

from custody.checks.gates.gates_executed import TOLD, GatesExecuted
from custody.model import layout
from custody.model.verdict import GateResult
from custody.pipeline.contracts.plan import LEAST_GATES
from support.cases import case
from support.contracts import PLAN

pytestmark = pytest.mark.req("C-14")
ALL: dict[str, GateResult] = dict.fromkeys(LEAST_GATES, "passed")


def judged(executed: dict[str, GateResult], plan: str | None = PLAN) -> list[tuple[str, str]]:
    documents = {} if plan is None else {layout.PLAN: plan}
    found = GatesExecuted().judge(case(documents=documents, executed=executed))
    return [(verdict.code, verdict.subject) for verdict in found]


def test_all_were() -> None:
    assert judged({**ALL, "other": "failed"}) == []


@pytest.mark.parametrize("gate", LEAST_GATES)
def test_one_was_not(gate: str) -> None:
    assert judged({name: word for name, word in ALL.items() if name != gate}) == [
        ("not_executed", gate)
    ]


def test_not_more_is_told_than_anybody_reads() -> None:
    many = PLAN.replace("lite |", "lite | " + " | ".join(f"g{n}" for n in range(200)) + " |")
    assert len(judged(ALL, many)) == TOLD


def test_one_said_no() -> None:
    assert judged({**ALL, "lite": "failed"}) == [("failed", "lite")]


def test_a_plan_that_cannot_be_relied_on() -> None:
    assert judged(ALL, None) == [("plan", layout.PLAN)]
    assert judged(ALL, PLAN.replace("SIGNED", "DRAFT")) == [("plan", layout.PLAN)]


def test_what_was_not_carried_out_is_judged_too() -> None:
    assert GatesExecuted().applies(case(status="failed"))
