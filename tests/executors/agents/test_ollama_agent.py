"""A model of an Ollama is asked where the Ollama is."""

from __future__ import annotations

import json

import pytest

from custody.errors import UsageError
from custody.executors.agents.ollama_agent import ollama_server
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench

ANSWER = "I wrote it.\n\n```text file=src/a.txt\nhello\n```\n"
SECRET = "sk-of-the-user-0123456789"


@pytest.mark.req("P-13")
def test_ollama_by_its_defaults(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with ModelServer(Script.of(Turn(say=ANSWER))) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
        bench.run('start -> build -> done\n build [prompt="Go."]', agent="ollama_agent:qwen3:8b")
    assert bench.path("workspace/src/a.txt").read_text() == "hello\n"
    assert server.asked[0].body["model"] == "qwen3:8b"
    assert server.asked[0].headers["authorization"] == "Bearer none"
    lines = bench.path("nodes/build/1.1/ollama_agent.log.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["event"] == "agent.completion"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("https://models.example/", "https://models.example/v1"),
    ],
)
def test_where_ollama_is(host: str, url: str) -> None:
    assert ollama_server({"OLLAMA_HOST": host}).url == url


def test_a_port_that_is_none_is_told() -> None:
    with pytest.raises(UsageError, match="OLLAMA_HOST"):
        ollama_server({"OLLAMA_HOST": "a:b"})
