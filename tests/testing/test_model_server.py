"""A scripted model speaks the protocols of three vendors."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from custody.testing.model_server import ModelServer, Script, Turn, main

RUN, SAY = Turn(run="ls"), Turn(say="Done.")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Script.of(RUN, SAY)) as server:
        yield server


def ask(server: ModelServer, path: str, body: Any) -> str:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}{path}", data)
    with urllib.request.urlopen(request, timeout=20) as answer:
        text: str = answer.read().decode()
        return text


def events(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def test_responses(server: ModelServer) -> None:
    tool = {"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {}}}}
    first = {"model": "m", "stream": True, "tools": [tool], "input": [{"type": "message"}]}
    called = events(ask(server, "/v1/responses", first))
    items = [event["item"] for event in called if event["type"] == "response.output_item.done"]
    assert [(item["name"], item["arguments"]) for item in items] == [
        ("exec_command", '{"cmd": "ls"}')
    ]
    second = {**first, "stream": False, "input": [{"type": "function_call_output"}]}
    whole = json.loads(ask(server, "/v1/responses", second))
    assert whole["output"][0]["content"][0]["text"] == "Done."
    assert whole["usage"]["input_tokens"] == 1000


def test_messages(server: ModelServer) -> None:
    tool = {"name": "Bash", "input_schema": {"properties": {"command": {"type": "string"}}}}
    first = {"model": "m", "stream": True, "tools": [tool], "messages": [{"content": "hi"}]}
    called = events(ask(server, "/v1/messages?beta=true", first))
    assert called[1]["content_block"]["name"] == "Bash"
    assert json.loads(called[2]["delta"]["partial_json"])["command"] == "ls"
    assert called[-2]["delta"]["stop_reason"] == "tool_use"
    second = {**first, "messages": [{"content": [{"type": "tool_result"}]}], "stream": False}
    assert json.loads(ask(server, "/v1/messages", second))["content"][0]["text"] == "Done."


def test_chat_completions(server: ModelServer) -> None:
    parameters = {"properties": {"command": {"type": "array"}}}
    tool = {"type": "function", "function": {"name": "shell", "parameters": parameters}}
    first = {"model": "m", "stream": True, "tools": [tool], "messages": [{"role": "user"}]}
    text = ask(server, "/v1/chat/completions", first)
    call = events(text)[0]["choices"][0]["delta"]["tool_calls"][0]["function"]
    assert json.loads(call["arguments"]) == {"command": ["sh", "-c", "ls"]}
    assert text.endswith("data: [DONE]\n\n")
    second = {**first, "messages": [{"role": "tool"}], "stream": False}
    whole = json.loads(ask(server, "/v1/chat/completions", second))
    assert whole["choices"][0]["message"]["content"] == "Done."


class TestStreams:
    BODY = {"stream": True, "messages": [{"role": "user"}]}
    LONG = "word " * 20

    def test_a_text_comes_in_pieces(self) -> None:
        with ModelServer(Script.of(Turn(say=self.LONG, finish="length"))) as server:
            chunks = events(ask(server, "/v1/chat/completions", self.BODY))
        choices = [chunk["choices"][0] for chunk in chunks if chunk["choices"]]
        texts = [choice["delta"].get("content") or "" for choice in choices]
        assert len(texts) > 4
        assert "".join(texts) == self.LONG
        assert choices[-1]["finish_reason"] == "length"

    def test_a_pause_lies_between_two_pieces(self) -> None:
        began = time.monotonic()
        with ModelServer(Script.of(Turn(say="hi", pause=0.05))) as server:
            ask(server, "/v1/chat/completions", self.BODY)
        assert time.monotonic() - began >= 0.1

    def test_a_stream_that_is_cut_breaks_off(self) -> None:
        with (
            ModelServer(Script.of(Turn(say=self.LONG, cut=True))) as server,
            pytest.raises(http.client.IncompleteRead) as broken,
        ):
            ask(server, "/v1/chat/completions", self.BODY)
        assert b"word" in broken.value.partial
        assert b"[DONE]" not in broken.value.partial


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/messages", b"no json", 400),
        ("/v1/messages", b"[]", 400),
        ("/v1/messages", {"messages": []}, 400),  # a command, and no tool to run it
        ("/elsewhere", {}, 404),
    ],
)
def test_what_it_cannot_answer(server: ModelServer, path: str, body: Any, status: int) -> None:
    with pytest.raises(urllib.error.HTTPError) as raised:
        ask(server, path, body)
    assert raised.value.code == status
    raised.value.close()


def test_it_serves_while_a_command_runs(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"answers": [{"turns": [{"say": "Done."}]}]}')
    assert main([str(tmp_path / "s.json"), "--", "sh", "-c", "exit 7"]) == 7


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["s.json", "--port", "PORT"],
            "error: port PORT of 127.0.0.1 is taken, or may not be used",
        ),
        (["s.json", "--port", "99999"], "error: port 99999 of 127.0.0.1 is taken"),
        (["s.json", "--", "no-such-program"], "error: 'no-such-program' cannot be started"),
        (["none.json"], "error: none.json: "),
        (["bad.json"], "error: bad.json: "),
    ],
)
def test_what_it_cannot_serve_is_told(
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text('{"answers": [{"turns": [{"say": "Done."}]}]}')
    (tmp_path / "bad.json").write_text('{"answer": []}')
    port = server.url.rpartition(":")[2]
    with pytest.raises(SystemExit) as ended:
        main([word.replace("PORT", port) for word in words])
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith(said.replace("PORT", port))
