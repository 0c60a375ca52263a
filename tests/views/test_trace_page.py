"""The account of a change that people read."""

from __future__ import annotations

from pathlib import Path

from custody import api
from support.bench import Bench
from support.changing import BLOCK, Change, answers


def test_a_run_that_is_no_change_has_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.run("start -> done")
    assert not bench.path("TRACE.md").exists()


def test_it_tells_stages_gates_and_documents(tmp_path: Path) -> None:
    flow = Change(tmp_path)
    flow.start(answers(review_cost=BLOCK))
    page = flow.path("TRACE.md").read_text()
    assert page.startswith("# change: FAIL\n")
    assert "| review_cost | review | 1 | fail | reviews/review_cost.md blocks: too dear |" in page
    assert "- review: failed" in page
    assert "- artifacts/guardrails.md (" in page


def test_it_is_a_view_that_can_be_made_again(tmp_path: Path) -> None:
    flow = Change(tmp_path)
    flow.start(answers(review_cost=BLOCK))
    before = flow.path("TRACE.md").read_bytes()
    flow.path("TRACE.md").write_text("nothing happened\n")
    runsdir = str(flow.runs)
    assert [one.where for one in api.verify("c", runsdir=runsdir).mismatches] == ["TRACE.md"]
    api.verify("c", runsdir=runsdir, rebuild=True)
    assert flow.path("TRACE.md").read_bytes() == before
