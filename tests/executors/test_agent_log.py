"""Agents at work are logged, one JSON object a line."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from support.bench import Bench
from support.shell import Shell

PIPELINE = """digraph p {
    start [shape=Mdiamond]
    say   [prompt="hello", local_exec.timeout=0]
    done  [shape=Msquare]
    start -> say -> done
}
"""


def run(tmp_path: Path, **environment: str) -> str:
    shell = Shell(tmp_path)
    shell.write("p.dot", PIPELINE)
    done = shell("run", "p.dot", "--agent", "local_exec:cat", "--run-id", "r1", **environment)
    assert done.code == 0
    return done.err


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.req("P-15")
def test_streams_are_logged_live_on_demand(tmp_path: Path) -> None:
    lines = run(tmp_path, FACTORY_LOG_CODEX_STREAM="1").splitlines()
    logged = [json.loads(line, parse_constant=refuse_constant) for line in lines]
    assert [entry["event"] for entry in logged] == [
        "agent.start", "agent.output", "agent.completion",
    ]  # fmt: skip
    assert logged[1]["text"] == "hello\n"
    assert {entry["run_id"] for entry in logged} == {"r1"}
    assert {entry["node"] for entry in logged} == {"say"}


@pytest.mark.req("P-15")
def test_standard_error_is_quiet_otherwise(tmp_path: Path) -> None:
    assert run(tmp_path) == ""
    kept = tmp_path / ".custody/runs/r1/nodes/say/1.1/local_exec.log.jsonl"
    assert [json.loads(line)["event"] for line in kept.read_text().splitlines()] == [
        "agent.start", "agent.completion",
    ]  # fmt: skip


@pytest.mark.req("P-15")
def test_a_host_program_gets_them_by_its_own_handlers(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "custody.agent")
    body = 'start -> say -> done\n say [prompt="Go."]'
    bench.run(body, agent="local_exec:sh -c 'echo $$; kill -9 $$'")
    assert [record.getMessage() for record in caplog.records] == ["agent.start", "agent.failure"]


@pytest.mark.parametrize(
    ("attributes", "seconds"),
    [
        ("", 7.0),
        ("timeout=5s", 5.0),
        ("local_exec.timeout=3s", 3.0),
        ("timeout=5s, local_exec.timeout=3s", 3.0),
    ],
)
def test_the_nearest_time_limit_counts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, attributes: str, seconds: float
) -> None:
    monkeypatch.setenv("CUSTODY_LOCAL_EXEC_TIMEOUT", "7s")
    more = f", {attributes}" if attributes else ""
    bench.run(f'start -> say -> done\n say [prompt="Go."{more}]', agent="local_exec:cat")
    log = bench.path("nodes/say/1.1/local_exec.log.jsonl").read_text()
    assert json.loads(log.splitlines()[0])["limits"]["timeout"] == seconds
