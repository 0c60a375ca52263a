"""The commands of a gate judge a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from custody.handlers.verify import VerifyHandler
from custody.model.graph import Attribute, Node, SourcePosition
from support.bench import Bench

BODY = "p [prompt=x]\nv [type=verify, rounds=p]\nstart -> p -> v -> done"


def test_a_gate_without_a_command_is_refused(tmp_path: Path) -> None:
    result = Bench(tmp_path).run(BODY)
    assert result.summary.stages[2].failure_reason == "the gate lite has no command"


@pytest.mark.req("C-14", "C-29")
def test_without_a_plan_nothing_passes_though_every_command_does(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    result = bench.run(BODY, graph='var.lite="true\necho said"')
    assert result.summary.status == "FAIL"
    assert "VERIFY_FAILED v" in bench.events()
    assert bench.path("logs/verify.stdout.log").read_text() == "said\n"


@pytest.mark.parametrize("gate", ["lite", "full"])
def test_where_the_work_was_surveyed_catalog_and_evidence_are_judged(gate: str) -> None:
    place = SourcePosition(line=1, column=1)
    attributes = {
        "gate": Attribute("gate", gate, place),
        "surveyed": Attribute("surveyed", value=True, position=place),
    }
    node = Node(id="v", type="verify", attributes=attributes, position=place)
    names = [each.name for each in VerifyHandler().gates(node)]
    assert names == ["writes", gate, "plan_check", "behavior_catalog_check", "gates_executed"]
