"""A model behind Chat Completions works in a run; the model on this machine follows a script."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from custody import api
from custody.errors import UsageError
from custody.executors.registry import find_agent
from custody.model.event import RequestAnswered
from custody.model.request import Ack, Usage
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench

ANSWER = "I wrote it.\n\n```text file=src/a.txt\nhello\n```\n"
PATCH = """\
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+hi
"""
NODE = "start -> build -> done\n build [agent=api, api.retries=0, prompt="
SECRET = "sk-of-the-user-0123456789"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Return a model that writes a file, with the agent configured for it."""
    monkeypatch.setenv("THE_KEY", SECRET)
    monkeypatch.setenv("CUSTODY_API_KEY_ENV", "THE_KEY")
    monkeypatch.setenv("CUSTODY_API_MODEL", "scripted")
    with ModelServer(Script.of(Turn(say=ANSWER))) as server:
        monkeypatch.setenv("CUSTODY_API_BASE_URL", f"{server.url}/v1")
        yield server


def ack_of(bench: Bench) -> Ack:
    return next(fact.ack for fact in bench.facts() if isinstance(fact, RequestAnswered))


def logged(bench: Bench, agent: str = "api") -> list[dict[str, Any]]:
    text = bench.path(f"nodes/build/1.1/{agent}.log.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.req("P-13", "P-15")
def test_a_stage_end_to_end(bench: Bench, server: ModelServer) -> None:
    bench.run(f'{NODE}"Write a file.", api.temperature=0.0, api.max_tokens=500, api.seed=7]')
    ack = ack_of(bench)
    folder = bench.path("nodes/build/1.1")
    assert (ack.status, ack.failure_reason) == ("ok", "")
    assert bench.path("workspace/src/a.txt").read_text() == "hello\n"
    assert (folder / "response.md").read_text() == ANSWER
    assert (folder / "api.stdout.log").read_text() == ANSWER
    assert ack.usage == Usage(model="scripted", input_tokens=1000, output_tokens=100)
    assert [entry["event"] for entry in logged(bench)] == ["agent.start", "agent.completion"]
    assert {evidence.path.rpartition("/")[2] for evidence in ack.evidence} == {
        "response.md", "api.request.json", "api.stdout.log", "api.log.jsonl",
    }  # fmt: skip
    (asked,) = server.asked
    sent = json.loads((folder / "api.request.json").read_text())
    assert sent["body"] == asked.body
    assert sent["url"] == f"{server.url}/v1/chat/completions"
    assert (sent["body"]["temperature"], sent["body"]["max_tokens"], sent["body"]["seed"]) == (
        0.0, 500, 7,
    )  # fmt: skip
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    texts = [path.read_text() for path in bench.path("").rglob("*") if path.is_file()]
    assert not [text for text in texts if SECRET in text]


def test_a_patch_changes_files_too(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(say=PATCH))
    bench.run(f'{NODE}"Go."]')
    assert bench.path("workspace/b.txt").read_text() == "hi\n"


def test_an_answer_without_edits_is_fine(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(say="Looks good."))
    bench.run(f'{NODE}"Review."]')
    assert ack_of(bench).status == "ok"
    assert bench.path("nodes/build/1.1/response.md").read_text() == "Looks good.\n"


def test_a_path_that_may_not_be_written_refuses_the_answer(
    bench: Bench, server: ModelServer
) -> None:
    server.script = Script.of(Turn(say="```text file=../a.txt\nx\n```\n"))
    bench.run(f'{NODE}"Go."]')
    assert ack_of(bench).status == "refused"


@pytest.mark.req("P-15")
@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (Turn(status=401, say="wrong key"), "agent_unauthorized: 401 wrong key"),
        (Turn(status=403, say="not you"), "agent_unauthorized: 403 not you"),
        (Turn(status=404, say="no such model"), "agent_bad_request: 404 no such model"),
        (Turn(status=429, say="slow down"), "agent_rate_limited: 429 slow down"),
        (Turn(status=500, say="oh no"), "agent_server_error: 500 oh no"),
        (Turn(say=ANSWER * 9, cut=True), "agent_stream_broken: "),
        (Turn(say=""), "agent_empty_answer: "),
        (Turn(say=ANSWER, finish="length"), "agent_answer_cut_off: "),
        (Turn(say=ANSWER, finish="content_filter"), "agent_declined: "),
    ],
)
def test_what_goes_wrong_is_told_and_changes_nothing(
    bench: Bench, server: ModelServer, turn: Turn, reason: str
) -> None:
    server.script = Script.of(turn)
    bench.run(f'{NODE}"Go."]')
    ack = ack_of(bench)
    assert ack.status == "failed"
    assert ack.failure_reason.startswith(reason)
    assert logged(bench)[-1]["event"] == "agent.failure"
    assert not bench.path("workspace/src").exists()


def test_a_key_that_the_server_repeats_is_not_kept(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(status=401, say=f"wrong key: {SECRET}"))
    bench.run(f'{NODE}"Go."]')
    assert ack_of(bench).failure_reason == "agent_unauthorized: 401 wrong key: [key]"


def test_nobody_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("CUSTODY_API_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        bench.run(f'{NODE}"Go.", api.model=m]')
    assert ack_of(bench).failure_reason.startswith("agent_unreachable: ")


def test_a_busy_server_is_asked_again(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(status=500, say="oh no"))
    bench.run(f'{NODE.replace("api.retries=0", "api.retries=1")}"Go."]')
    assert len(server.asked) == 2


@pytest.mark.req("P-15")
@pytest.mark.parametrize(
    ("turn", "limit", "reason"),
    [
        (Turn(say=ANSWER, wait=250), "api.timeout=1s", "timeout"),
        (Turn(say=ANSWER * 99, pause=0.02), "api.timeout=1s", "timeout"),
        (Turn(say=ANSWER, pause=250), "api.inactivity=300ms", "inactivity"),
    ],
)
def test_a_model_that_is_late_is_left(
    bench: Bench, server: ModelServer, turn: Turn, limit: str, reason: str
) -> None:
    server.script = Script.of(turn)
    bench.run(f'{NODE}"Go.", {limit}, api.heartbeat=10ms]')
    ack = ack_of(bench)
    assert (ack.status, ack.failure_reason) == ("timeout", reason)
    assert {"agent.heartbeat", "agent.timeout"} <= {entry["event"] for entry in logged(bench)}
    if turn.pause:
        assert bench.path("nodes/build/1.1/api.stdout.log").read_text().startswith(ANSWER[:24])


def test_a_run_that_is_told_to_end_does_not_wait_for_the_model(
    bench: Bench, server: ModelServer
) -> None:
    server.script = Script.of(Turn(say=ANSWER, wait=250))
    pipeline = bench.pipeline(f'{NODE}"Go."]')
    words = ["run", pipeline, "--runsdir", str(bench.runsdir), "--run-id", "r1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "custody", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while not server.asked:
            assert time.monotonic() < deadline, "the model is not asked"
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()
    server.script = Script.of(Turn(say=ANSWER))
    assert api.resume("r1", runsdir=str(bench.runsdir)).summary.status == "PASS"


def test_whoever_has_a_loop_already_can_run_it_too(bench: Bench, server: ModelServer) -> None:
    async def run() -> str:
        return bench.run(f'{NODE}"Go."]').summary.status

    assert asyncio.run(run()) == "PASS"
    assert len(server.asked) == 1


def test_a_secret_that_the_model_says_is_not_kept(
    bench: Bench, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "hunter2hunter2hunter2hunter2")
    server.script = Script.of(Turn(say="It is hunter2hunter2hunter2hunter2.\n"))
    bench.run(f'{NODE}"Go."]')
    for name in ("api.stdout.log", "response.md"):
        assert "hunter2" not in bench.path(f"nodes/build/1.1/{name}").read_text()
    assert ack_of(bench).redacted >= 2


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "openai", raising=False)

    def nothing() -> NoReturn:
        pytest.fail("nothing is started")

    with pytest.raises(UsageError, match="the package openai") as told:
        find_agent("api:m", nothing, nothing)
    assert told.value.hint == "pip install 'custody[api]'"
