"""A run that was interrupted goes on; one that has ended stays as it is."""

from __future__ import annotations

import json

import pytest

from custody.cli import main
from support.bench import Bench

STEPS = 'one [type=tool, tool_command="true"] two [type=tool, tool_command="true"]'
BODY = f"{STEPS} start -> one -> two -> done"


def cut(bench: Bench, lines: int) -> None:
    """Let a run be as if its process had ended earlier."""
    journal = bench.path("events.jsonl")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:lines]))
    for view in ("checkpoint.json", "summary.json", "summary.md"):
        bench.path(view).unlink()
    bench.path("manifest.json").write_text('{"run_id": "r1"}')


def resume(bench: Bench, *words: str) -> int:
    return main(["resume", "r1", "--runsdir", str(bench.runsdir), *words])


def test_it_goes_on_to_the_end(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run(BODY)
    cut(bench, 4)
    assert resume(bench, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"]["status"] == "PASS"
    assert "RunResumed" in bench.events()


def test_a_run_that_has_ended_stays_as_it_is(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.run(BODY)
    before = bench.path("events.jsonl").read_bytes()
    assert resume(bench) == 0
    assert capsys.readouterr().out.startswith("PASS  p  run r1\n")
    assert bench.path("events.jsonl").read_bytes() == before


def test_another_pipeline_is_refused_unless_it_is_accepted(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.run(BODY)
    cut(bench, 4)
    other = bench.pipeline(BODY.replace('"true"', '"true x"'), name="other.dot")
    assert resume(bench, "--pipeline", other, "--json") == 1
    assert json.loads(capsys.readouterr().out)["error_type"] == "PIPELINE_CHANGED"
    assert resume(bench, "--pipeline", other, "--accept-pipeline-change") == 0
    assert "PipelineReplaced" in bench.events()


def test_no_such_run(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert resume(bench, "--json") == 1
    assert json.loads(capsys.readouterr().out)["error_type"] == "RUN_NOT_FOUND"
