"""What an agent needs is looked for before it is asked."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from custody.executors.readiness import absent, agents_there, not_there
from custody.executors.registry import needs_of
from custody.model.event import StageFailed, StageRetrying
from custody.model.need import Need, NeedKind
from support.bench import Bench
from support.servers import Server
from support.stages import agent_request


def has(kind: NeedKind, *names: str, **environment: str) -> bool:
    return not absent([Need(kind=kind, names=names)], environment)


def listen(connection: socket.socket) -> None:
    """Say nothing until the other side has gone."""
    connection.recv(1)


@pytest.mark.req("U-04")
class TestAbsent:
    def test_a_program_is_looked_for_on_path(self, tmp_path: Path) -> None:
        program = tmp_path / "tool"
        program.write_text("#!/bin/sh\n")
        assert not has("program", "tool", PATH=str(tmp_path)), "nobody may run it"
        program.chmod(0o755)
        assert has("program", "tool", PATH=f".:{tmp_path}")
        assert has("program", str(program))
        assert not has("program", f"{program}2")
        assert has("program", "./made-by-a-stage")

    def test_without_a_path_it_is_looked_for_where_stages_do(self) -> None:
        assert has("program", "sh")
        assert has("program", "sh", PATH="")
        assert has("program", "sh", PATH=".:bin"), "none of them could be meant"

    def test_packages_variables_and_files(self, tmp_path: Path) -> None:
        assert has("package", "json")
        assert not has("package", "no_such_package")
        assert has("variable", "OTHER", "KEY", KEY="k")
        assert not has("variable", "KEY", KEY="")
        (tmp_path / "book.json").write_text("{}")
        assert has("file", str(tmp_path / "book.json"))
        assert not has("file", str(tmp_path))

    def test_a_server_must_let_us_in(self) -> None:
        with Server(listen) as server:
            name = server.name
            assert has("server", name)
            assert has("server", "192.0.2.1:443", HTTPS_PROXY=f"http://{name}"), "as its proxy does"
        assert not has("server", name)
        assert has("server", name, "127.0.0.1:1") is False


@pytest.mark.req("U-04")
@pytest.mark.parametrize(
    ("spec", "attributes", "environment", "kinds"),
    [
        ("stub", {}, {}, []),
        ("codex", {}, {}, ["program", "variable", "server"]),
        ("codex", {"codex.config": 'model_provider="x"'}, {}, ["program", "server"]),
        ("claude", {}, {}, ["program", "variable", "server"]),
        ("opencode", {"opencode.config": '{"provider": {}}'}, {}, ["program", "server"]),
        ("api:m", {}, {}, ["package", "variable", "server"]),
        ("api:m", {"api.base_url": "http://127.0.0.1:1/v1"}, {}, ["package", "server"]),
        ("ollama_agent:m", {}, {}, ["package", "server"]),
        ("fake:book.json", {}, {}, ["file"]),
        ("fake:single", {}, {}, []),
        ("command:mine -x", {}, {}, ["program"]),
        ("command", {}, {"SDDAI_AGENT_CMD": "mine"}, ["program"]),
        ("local_exec:{WORKSPACE}/mine", {}, {}, ["program"]),
    ],
)
def test_each_agent_says_what_it_needs(
    spec: str, attributes: dict[str, str], environment: dict[str, str], kinds: list[str]
) -> None:
    assert [need.kind for need in needs_of(spec, attributes, environment)] == kinds


@pytest.mark.req("U-04")
def test_an_agent_that_is_not_there_is_tried_once(bench: Bench) -> None:
    node = "start -> build -> done\n build [agent=codex, prompt=x, max_retries=9, retry_delay=0,"
    result = bench.run(f'{node} codex.executable="no-such-codex"]')
    assert result.summary.status == "FAIL"
    facts = bench.facts()
    assert not any(isinstance(fact, StageRetrying) for fact in facts)
    failed = next(fact for fact in facts if isinstance(fact, StageFailed))
    assert failed.outcome.failure_reason == "agent_not_found: no-such-codex"


@pytest.mark.req("U-04")
def test_so_is_one_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    answer = not_there(agent_request("claude", settings={"claude.executable": "sh"}))
    assert answer is not None
    assert (answer.status, answer.failure_reason) == (
        "refused", "agent_key_missing: ANTHROPIC_API_KEY",
    )  # fmt: skip
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert not_there(agent_request("claude", settings={"claude.executable": "sh"})) is None


def test_agents_are_there_whose_program_is(tmp_path: Path) -> None:
    assert agents_there({"PATH": str(tmp_path)}) == ()
    for name in ("claude", "codex"):
        (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    assert agents_there({"PATH": str(tmp_path)}) == ("codex",)
