"""A model behind Chat Completions works in a run; the model on this machine follows a script."""

from __future__ import annotations

import json
import sys
from typing import NoReturn

import pytest

from custody.errors import UsageError
from custody.executors.registry import find_agent
from custody.model.request import Usage
from custody.testing.model_server import ModelServer
from support.bench import Bench
from support.chat import ANSWER, NODE, SECRET, ack_of, logged


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


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "openai", raising=False)

    def nothing() -> NoReturn:
        pytest.fail("nothing is started")

    with pytest.raises(UsageError, match="the package openai") as told:
        find_agent("api:m", nothing, nothing)
    assert told.value.hint == "pip install 'custody-runtime[api]'"
