"""Who reviews the contract on this machine."""

from __future__ import annotations

from pathlib import Path

from custody.pipeline.contracts.review import read_review
from support.changing import Change, answers


def review(flow: Change) -> str:
    return flow.path("nodes/review_contract/1.1/response.md").read_text()


def test_a_draft_that_could_pass_is_approved(tmp_path: Path) -> None:
    flow = Change(tmp_path)
    flow.start(answers(review_cost="Verdict: BLOCK\nBlocking Reasons: x\n"))
    found = read_review(review(flow).encode()).sound
    assert found is not None
    assert found.verdict == "APPROVE"


def test_guardrails_that_nobody_can_rely_on_block(tmp_path: Path) -> None:
    flow = Change(tmp_path)
    rails = {"artifacts/guardrails.md": b"find_mode: telepathy\n"}
    assert flow.start(documents=rails).summary.status == "FAIL"
