"""An agent is used as its owner has set it up, as far as the owner says so."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from custody import api
from custody.errors import UsageError
from custody.executors.programs.own_setup import (
    Login,
    LoginFile,
    files_of,
    own_agent,
    read_login,
    variables_of,
)
from custody.model.event import RequestAnswered
from custody.model.own_settings import McpServer, OwnAgent
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench
from support.own_setup import (
    AGENTS,
    MCP_SERVER,
    SHOWS_LOGIN,
    TOKEN,
    TOOL,
    log_in,
    point_at,
)
from support.programs import needs
from support.sandboxes import CONFINED
from support.sweep import some, turn

NODE = "start -> build -> done\n build [agent={}, prompt=Go]"
DONE = Turn(say="done")
LOOKS = Turn(run="git log --oneline > log.txt; echo new > new.txt; git status --short > status.txt")
INSTRUCTION = "only-ever-write-poems"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Return a model."""
    with ModelServer(Script.of(DONE)) as server:
        yield server


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's own configuration, which says nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config" / "custody" / "custody.toml"
    file.parent.mkdir(parents=True)
    return file


def asked(server: ModelServer) -> str:
    return json.dumps([asked.body for asked in server.asked])


def instruct(bench: Bench) -> None:
    for name in ("AGENTS.md", "CLAUDE.md"):
        (bench.workdir / name).write_text(f"{INSTRUCTION}\n")


def started(bench: Bench, agent: str) -> dict[str, Any]:
    """Return the first line of an agent's log."""
    text = bench.path(f"nodes/build/1.1/{agent}.log.jsonl").read_text()
    first: dict[str, Any] = json.loads(text.splitlines()[0])
    return first


@pytest.mark.req("U-15")
@needs("git")
class TestRealAgents:
    @pytest.mark.parametrize("agent", some("own setup: nothing", AGENTS, 1))
    def test_nothing_of_it_is_there_unless_the_user_says_so(
        self,
        bench: Bench,
        server: ModelServer,
        config: Path,
        monkeypatch: pytest.MonkeyPatch,
        agent: str,
    ) -> None:
        point_at(server, monkeypatch, key=True)
        config.write_text("")
        instruct(bench)
        server.script = Script.of(Turn(run="ls -A > seen.txt"), DONE)
        assert bench.run(NODE.format(agent)).summary.status == "PASS"
        assert INSTRUCTION not in asked(server)
        assert TOOL not in asked(server)
        assert bench.path("workspace/seen.txt").read_text().split() == [
            "AGENTS.md", "CLAUDE.md", "seen.txt",
        ]  # fmt: skip
        assert "own" not in started(bench, agent)

    @pytest.mark.parametrize("agent", some("own setup: instructions", AGENTS, 1))
    def test_instructions_tools_and_a_repository(
        self,
        bench: Bench,
        server: ModelServer,
        config: Path,
        monkeypatch: pytest.MonkeyPatch,
        agent: str,
    ) -> None:
        point_at(server, monkeypatch, key=True)
        instruct(bench)
        script = bench.home / "notes.py"
        script.write_text(MCP_SERVER)
        config.write_text(
            f"[agents.{agent}]\ninstructions = true\ngit = true\n"
            f'[agents.{agent}.mcp.notes]\ncommand = ["python3", "{script}"]\n'
        )
        server.script = Script.of(LOOKS, DONE)
        assert bench.run(NODE.format(agent)).summary.status == "PASS"
        assert INSTRUCTION in asked(server)
        assert TOOL in asked(server)
        workspace = bench.path("workspace")
        assert workspace.joinpath("log.txt").read_text().endswith("Begin\n")
        assert "?? new.txt" in workspace.joinpath("status.txt").read_text()
        assert not workspace.joinpath(".git").exists()
        changed = bench.path("nodes/build/1.1/workspace.diff.json").read_text()
        assert ".git" not in changed
        assert started(bench, agent)["own"] == ["instructions", "git", "mcp:notes"]

    @pytest.mark.parametrize("agent", some("own setup: login", AGENTS, 1))
    @pytest.mark.parametrize("level", turn("own setup: login", CONFINED))
    def test_a_copy_of_the_login_is_there_for_the_stage_alone(  # noqa: PLR0917
        self,
        bench: Bench,
        server: ModelServer,
        config: Path,
        monkeypatch: pytest.MonkeyPatch,
        agent: str,
        level: str,
    ) -> None:
        point_at(server, monkeypatch, key=False)
        monkeypatch.setenv("HOME", str(bench.home / "me"))
        file = log_in(bench.home / "me", agent)
        before = file.read_bytes()
        config.write_text(f"[agents.{agent}]\nlogin = true\n")
        server.script = Script.of(Turn(run=SHOWS_LOGIN[agent]), DONE)
        result = bench.run(NODE.format(agent), confinement=level, look_first=True)
        assert result.summary.status == "PASS"
        sent = {
            value
            for request in server.asked
            for name, value in request.headers.items()
            if name.lower() == "authorization"
        }
        assert sent == {f"Bearer {TOKEN}"}
        assert TOKEN in asked(server), "the program could read it"
        assert file.read_bytes() == before
        found = subprocess.run(["grep", "-rla", TOKEN, bench.runsdir], check=False, text=True,
                               capture_output=True)  # fmt: skip
        assert found.stdout == "", "no file of the run holds it"


@pytest.mark.req("U-15", "G-10")
@needs("git")
@pytest.mark.parametrize("level", turn("what is left in a repository", CONFINED))
def test_what_a_program_leaves_in_a_repository_is_gone_with_the_stage(
    bench: Bench,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    level: str,
) -> None:
    point_at(server, monkeypatch, key=True)
    monkeypatch.setenv("CUSTODY_CODEX_GIT", "yes")
    server.script = Script.of(Turn(run="echo evil > .git/hooks/pre-commit; echo 1 > a.txt"), DONE)
    assert bench.run(NODE.format("codex"), confinement=level).summary.status == "PASS"
    assert bench.path("workspace/a.txt").exists()
    assert not bench.path("workspace/.git").exists()
    nested = Turn(run="mkdir -p sub/.git/hooks && echo evil > sub/.git/hooks/pre-commit")
    server.script = Script.of(nested, DONE)
    again = bench.run(NODE.format("codex"), confinement=level, run_id="r2")
    assert again.summary.status == "FAIL", "the policy holds elsewhere"
    ack = next(fact.ack for fact in bench.facts("r2") if isinstance(fact, RequestAnswered))
    assert ack.status == "ok"


@pytest.mark.req("U-15", "G-07")
@pytest.mark.parametrize("setting", ["login", "git", "instructions"])
def test_a_pipeline_cannot_say_it(bench: Bench, setting: str) -> None:
    node = f"start -> b -> done\n b [agent=codex, prompt=x, codex.{setting}=true]"
    _pipeline, findings = api.check(bench.pipeline(node))
    assert any(f"codex.{setting}" in finding.message for finding in findings)


class TestOwn:
    def test_a_variable_comes_before_the_file(self, config: Path) -> None:
        config.write_text("[agents.codex]\nlogin = true\n")
        environment = {"XDG_CONFIG_HOME": str(config.parent.parent)}
        assert own_agent("codex", environment) == OwnAgent(login=True)
        assert own_agent("codex", environment | {"CUSTODY_CODEX_LOGIN": "no"}) == OwnAgent()
        assert own_agent("claude", environment | {"CUSTODY_CLAUDE_GIT": "1"}).words() == ("git",)

    def test_what_a_server_names_is_shown_and_what_it_needs_is_passed(self, tmp_path: Path) -> None:
        server = McpServer(command=("/bin/sh", str(tmp_path), "/no/such/file", "x"), env=("A", "B"))
        assert files_of({"s": server}) == ("/bin/sh", str(tmp_path))
        assert variables_of({"s": server}, {"A": "1", "C": "3"}) == {"A": "1"}

    @pytest.mark.parametrize(
        ("data", "secrets"),
        [
            (b'{"a": ["abcdefghijklmnop", 3, {"b": "short"}]}', {"abcdefghijklmnop"}),
            (b"abcdefghijklmnop x", {"abcdefghijklmnop"}),
        ],
    )
    def test_every_long_text_of_a_login_is_a_secret(self, data: bytes, secrets: set[str]) -> None:
        assert set(Login("x", data).secrets().values()) == secrets

    def test_a_login_that_is_not_there_is_told(self, tmp_path: Path) -> None:
        file = LoginFile("AGENT_HOME", ".agent", "auth.json", "auth.json")
        assert file.find({"HOME": "/h"}) == "/h/.agent/auth.json"
        with pytest.raises(UsageError, match="no login of agent"):
            read_login(file, "agent", {"AGENT_HOME": str(tmp_path)})
        with pytest.raises(UsageError, match="has no login"):
            read_login(None, "agent", {})
