"""Rounds of a change are counted, and a plan that is not signed says nothing of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.changing import WRONG, Change, answers


@pytest.mark.parametrize(("budgets", "rounds"), [("iterations=1", 1), ("iterations=2; files=5", 2)])
def test_the_budget_of_the_plan_counts_too(tmp_path: Path, budgets: str, rounds: int) -> None:
    flow = Change(tmp_path)
    said = answers(maker=WRONG, fixer=WRONG)
    for node in ("draft", "plan"):
        text = said[node][0]["text"].replace("iterations=3; files=5; bytes=10000", budgets)
        said[node][0]["text"] = text.replace("max_iterations=3", "review_block")
    flow.start(said)
    assert flow.json("artifacts/verify_report.json")["iteration"] == rounds
    assert flow.json("artifacts/verify_report.json")["max_iterations"] == rounds
