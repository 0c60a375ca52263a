"""Rounds of a change are counted, and a plan that is not signed says nothing of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.bench import Bench
from support.changing import GOOD, PLAN, WRONG, Change, answers

SECRET = (
    "diff --git a/src/.env b/src/.env\nnew file mode 100644\n--- /dev/null\n+++ b/src/.env\n"
    "@@ -0,0 +1 @@\n+x\n"
)


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


def why_it_stopped(flow: Change, stop: str, patch: str, **options: Any) -> str:
    """Return what ended a change in its first round."""
    said = answers(stop=f"{stop}; max_iterations=3", maker=patch, fixer=GOOD)
    result = flow.start(said, **options)
    (why,) = [stage.failure_reason for stage in result.summary.stages if stage.node == "stop"]
    assert flow.holds()
    return why


@pytest.mark.parametrize(
    "patch",
    [SECRET, SECRET.replace("src/.env", "../x.py")],
    ids=["secret", "outside"],
)
def test_what_reaches_out_of_the_repository_violates_the_scope(tmp_path: Path, patch: str) -> None:
    told = why_it_stopped(Change(tmp_path), "scope_violation", patch)
    assert told.startswith("stop condition scope_violation: PATCH_")


def test_a_command_that_takes_more_than_there_is_exceeds_the_budget(tmp_path: Path) -> None:
    """Of the stage that failed, not of the last one: a patch is taken back in between."""
    bench = Bench(tmp_path)
    (bench.workdir / "fill.py").write_text(
        "import time\nfor n in range(99):\n    open(f'{n}.txt', 'w').close()\ntime.sleep(60)\n"
    )
    body = (
        "p [prompt=x, max_visits=9]\n"
        'c [type=tool, tool_command="python3 fill.py", limits.files=9]\n'
        'u [type=tool, tool_command="true"]\ns [type=stop, rounds=p]\nstart -> p -> c\n'
        'c -> u [condition="outcome=fail"]\nu -> s\ns -> p [condition="outcome=success"]\n'
        "s -> done"
    )
    plan = PLAN.format(stop="budget_exceeded; max_iterations=3").encode()
    result = bench.run(body, documents={"artifacts/PLAN.md": plan})
    (why,) = [stage.failure_reason for stage in result.summary.stages if stage.node == "s"]
    assert why == "stop condition budget_exceeded: limit_exceeded: files (9)"
