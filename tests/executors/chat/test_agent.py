"""A chat model changes files as everybody does, and is waited for as long as it may take."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from custody import api
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench
from support.chat import ANSWER, NODE, ack_of, logged

PATCH = """\
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+hi
"""


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
