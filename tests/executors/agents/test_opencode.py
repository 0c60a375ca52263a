"""The real opencode works in a run, against a model on this machine that follows a script."""

from __future__ import annotations

import json

import pytest

from custody.executors.agents.opencode import OpencodeReader
from custody.model.event import RequestAnswered
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench
from support.real_agents import program


def config(server: ModelServer) -> str:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{server.url}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "scripted"}},
    }
    model = "local/scripted"
    return json.dumps({"provider": {"local": provider}, "model": model, "small_model": model})


@pytest.mark.req("P-13")
def test_a_stage_end_to_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTODY_OPENCODE_EXECUTABLE", program("opencode"))
    monkeypatch.setenv("CUSTODY_OPENCODE_MODEL", "local/scripted")
    script = Script.of(Turn(run="printf 'hello\\n' > a.txt"), Turn(say="I wrote a.txt."))
    with ModelServer(script) as server:
        monkeypatch.setenv("CUSTODY_OPENCODE_CONFIG", config(server))
        bench.run('start -> build -> done\n build [agent=opencode, prompt="Write a file."]')
    ack = next(fact.ack for fact in bench.facts() if isinstance(fact, RequestAnswered))
    assert (ack.status, ack.failure_summary) == ("ok", "")
    assert bench.path("workspace/a.txt").read_text() == "hello\n"
    assert bench.path("nodes/build/1.1/response.md").read_text() == "I wrote a.txt.\n"
    assert ack.usage is not None
    assert (ack.usage.input_tokens, ack.usage.output_tokens) == (2000, 200)


def test_an_error_is_told() -> None:
    reader = OpencodeReader()
    reader.line(b'{"type":"error","error":{"name":"APIError","data":{"message":"no key"}}}')
    assert reader.reply().error == "no key"


def test_work_that_stops_in_the_middle_failed() -> None:
    reader = OpencodeReader()
    reader.line(b'{"type":"step_finish","part":{"reason":"tool-calls","tokens":{}}}')
    assert reader.reply().error == "the work was not finished"
