"""A verdict decides whether the change goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.bench import Bench

NODE = (
    'a [type=review, role=cost_controller, action=review, target="reviews/review_cost.md", '
    'prompt="Judge."]\nstart -> a -> done'
)


def run(tmp_path: Path, text: str) -> tuple[str, str]:
    import json

    bench = Bench(tmp_path)
    book = bench.home / "book.json"
    book.write_text(json.dumps({"answers": [{"text": text}]}))
    stages = bench.run(NODE, agent=f"fake:{book}").summary.stages
    return stages[1].outcome, stages[1].failure_reason


@pytest.mark.req("C-18")
@pytest.mark.parametrize(
    ("text", "outcome", "told"),
    [
        ("Verdict: APPROVE\n", "success", ""),
        ("Verdict: BLOCK\nBlocking Reasons: no\n", "fail", "blocks: no"),
        ("Looks good to me.\n", "fail", "no verdict"),
        ("Verdict: MAYBE\n", "fail", "MAYBE"),
        ("Verdict: APPROVE\nVerdict: BLOCK\n", "fail", "Verdict"),
    ],
)
def test_only_an_approval_lets_it_go_on(tmp_path: Path, text: str, outcome: str, told: str) -> None:
    found, reason = run(tmp_path, text)
    assert found == outcome
    assert told in reason


def test_a_review_that_blocks_is_kept(tmp_path: Path) -> None:
    run(tmp_path, "Verdict: BLOCK\nBlocking Reasons: no\n")
    assert (tmp_path / "runs/r1/reviews/review_cost.md").exists()
