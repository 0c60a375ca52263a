"""Whether a change may go into another round."""

from __future__ import annotations

from pathlib import Path

from support.bench import Bench

BODY = (
    "p [prompt=x, max_visits=9]\ns [type=stop, rounds=p]\nstart -> p -> s\n"
    's -> p [condition="outcome=success"]\ns -> done'
)


def test_the_rounds_are_those_of_the_guardrails(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    rails = b"find_mode: resolver_only\nmax_files: 1\nmax_total_bytes: 1\nmax_iterations: 2\n"
    result = bench.run(BODY, documents={"artifacts/guardrails.md": rails})
    stages = result.summary.stages
    assert [stage.node for stage in stages].count("p") == 2
    reasons = [stage.failure_reason for stage in stages if stage.node == "s"]
    assert reasons == ["", "max_iterations reached: 2 of 2"]


def test_without_any_there_are_three(tmp_path: Path) -> None:
    stages = Bench(tmp_path).run(BODY).summary.stages
    assert [stage.node for stage in stages].count("p") == 3
