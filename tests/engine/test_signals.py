"""Ctrl-C and SIGTERM are answered within two seconds, whatever goes on."""

from __future__ import annotations

import signal
import socket
import threading
from pathlib import Path

import pytest

from custody import api
from support.bench import Bench
from support.counted import CountedAgent, custody, told, until
from support.lists import part
from support.servers import Server
from support.sweep import turn

SOON = 2.0
SIGNALS = [signal.SIGINT, signal.SIGTERM]
PART = """digraph task {
    start [shape=Mdiamond]
    draft [type=agent_task, prompt="Write ${item}", output_path="docs/${index}.md"]
    done [shape=Msquare]
    start -> draft -> done
}
"""
EACH = 'tasks [type=each, pipeline="task.dot", items="1..4", max_parallel=4] start -> tasks -> done'
ONE = 'a [prompt="x"] start -> a -> done'
WAITS = 'a [prompt="x", max_retries=1, retry_delay="60s", test.outcome="fail"] start -> a -> done'


def command(bench: Bench, body: str, agent: str) -> list[str]:
    return [
        "run", bench.pipeline(body), "--workdir", str(bench.workdir),
        "--runsdir", str(bench.runsdir), "--run-id", "r1", "--agent", agent,
    ]  # fmt: skip


@pytest.mark.req("G-23")
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(("body", "asked"), [(EACH, 4), (ONE, 1)], ids=["parallel", "one"])
def test_agents_inside_the_process_are_not_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, body: str, asked: int
) -> None:
    counted = CountedAgent(bench, monkeypatch)
    part(bench, PART)
    process = custody(*command(bench, body, counted.name))
    until(bench.home / "counted" / "asked", "/1.1", asked)
    assert told(process, number) < SOON
    assert process.returncode == 130
    counted.let()
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"


@pytest.mark.req("G-23")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_back_off_is_left(bench: Bench, number: signal.Signals) -> None:
    process = custody(*command(bench, WAITS, "fake"))
    until(bench.path("events.jsonl"), "StageRetrying")
    assert told(process, number) < SOON
    assert process.returncode == 130


@pytest.mark.req("G-23")
@pytest.mark.parametrize("number", SIGNALS)
def test_a_server_that_does_not_answer_is_left(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    asked, done = threading.Event(), threading.Event()

    def talk(connection: socket.socket) -> None:
        if connection.recv(1):  # nothing comes from who looks only whether somebody is here
            asked.set()
            done.wait(60)

    with Server(talk) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://{server.name}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        process = custody(*command(bench, ONE, "api:m"))
        assert asked.wait(60)
        try:
            assert told(process, number) < SOON
        finally:
            done.set()
    assert process.returncode == 130
    assert "AttemptLost" in bench.path("events.jsonl").read_text()


@pytest.mark.req("G-23")
@pytest.mark.parametrize("number", turn("copying the source", SIGNALS))
def test_copying_the_source_is_left(bench: Bench, number: signal.Signals) -> None:
    for folder in range(60):
        (bench.workdir / str(folder)).mkdir()
        for name in range(250):
            (bench.workdir / str(folder) / str(name)).write_text(f"{folder} {name}" * 30)
    process = custody(*command(bench, ONE, "fake"))
    begun = bench.runsdir / ".new.r1"
    while not begun.exists() or len(list(_below(begun))) < 100:
        assert process.poll() is None
    assert told(process, number) < SOON
    assert process.returncode == 130
    assert [path.name for path in bench.runsdir.iterdir() if path.name != ".sources"] == []


def _below(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.rglob("*") if path.parent.name.isdigit()]
    except OSError:
        return []
