"""Signing from the command line."""

from __future__ import annotations

from support.bench import Bench
from support.shell import Here


def test_a_record_with_a_fault_is_not_signed_and_nothing_is_written(bench: Bench) -> None:
    bench.run('a [type=tool, tool_command="true"]\nstart -> a -> done')
    custody = Here(bench.home)
    custody("evidence", "key", "mine")
    words = ("evidence", "sign", "r1", "--runsdir", "runs", "--key", "mine", "--output", "out.json")
    (bench.path("summary.md")).write_text("all is well")
    refused = custody(*words)
    assert refused.code == 1
    assert "not what it claims to be" in refused.err
    assert not (bench.home / "out.json").exists()
    custody("verify", "r1", "--runsdir", "runs", "--rebuild")
    assert custody(*words).out.startswith("wrote out.json: ")
