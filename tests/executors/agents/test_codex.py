"""The real Codex CLI works in a run, against a model on this machine that follows a script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody import api
from custody.executors.agents.codex import CodexReader, arguments
from custody.executors.programs.coding_cli import Surroundings
from custody.executors.settings import Settings
from custody.model.event import RequestAnswered
from custody.model.request import Ack, Usage
from custody.testing.model_server import ModelServer, Script, Turn
from support.bench import Bench
from support.real_agents import program

WRITE = Turn(run="mkdir -p src && printf 'hello\\n' > src/a.txt && env > env.txt")
DONE = Turn(say="I wrote src/a.txt.")
NODE = "start -> build -> done\n build [agent=codex, prompt="


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Return a model that writes a file, with Codex configured for it."""
    monkeypatch.setenv("CUSTODY_CODEX_EXECUTABLE", program("codex"))
    monkeypatch.setenv("CUSTODY_CODEX_MODEL", "scripted")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-tools")
    monkeypatch.setenv("A_SECRET_OF_THE_USER", "not for agents")
    with ModelServer(Script.of(WRITE, DONE)) as server:
        monkeypatch.setenv("CUSTODY_CODEX_CONFIG", config(server))
        yield server


def config(server: ModelServer) -> str:
    provider = f'name="local", base_url="{server.url}/v1", env_key="OPENAI_API_KEY"'
    return (
        f'model_providers.local={{{provider}, wire_api="responses", stream_max_retries=0,'
        ' request_max_retries=0}\nmodel_provider="local"'
    )


def ack_of(bench: Bench) -> Ack:
    return next(fact.ack for fact in bench.facts() if isinstance(fact, RequestAnswered))


def logged(bench: Bench) -> list[dict[str, Any]]:
    text = bench.path("nodes/build/1.1/codex.log.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.req("P-13", "P-15")
@pytest.mark.usefixtures("server")
def test_a_stage_end_to_end(bench: Bench) -> None:
    bench.run(f'{NODE}"Write a file."]')
    ack = ack_of(bench)
    folder = bench.path("nodes/build/1.1")
    assert (ack.status, ack.exit_code) == ("ok", 0)
    assert bench.path("workspace/src/a.txt").read_text() == "hello\n"
    assert (folder / "response.md").read_text() == "I wrote src/a.txt.\n"
    assert ack.usage is not None
    assert (ack.usage.model, ack.usage.input_tokens, ack.usage.output_tokens) == (
        "scripted", 2000, 200,
    )  # fmt: skip
    assert "exec --json" in (folder / "codex.args.txt").read_text()
    assert "turn.completed" in (folder / "codex.stdout.log").read_text()
    assert (folder / "codex.stderr.log").exists()
    assert [entry["event"] for entry in logged(bench)] == ["agent.start", "agent.completion"]
    assert {evidence.path.rpartition("/")[2] for evidence in ack.evidence} == {
        "response.md", "codex.args.txt", "codex.stdout.log", "codex.stderr.log", "codex.log.jsonl",
    }  # fmt: skip


@pytest.mark.req("P-20", "P-21")
def test_what_the_model_and_its_tools_see(bench: Bench, server: ModelServer) -> None:
    (bench.workdir / "README").write_text("hello")
    bench.run(f'{NODE}"Write a file."]')
    variables = dict(
        line.split("=", 1)
        for line in bench.path("workspace/env.txt").read_text().splitlines()
        if "=" in line
    )
    assert "OPENAI_API_KEY" not in variables
    assert "A_SECRET_OF_THE_USER" not in variables
    assert variables["GOCACHE"] == "/cache/go-build"
    asked = json.dumps([asked.body for asked in server.asked])
    assert "Write a file." in asked
    assert "allowed_write_paths" not in asked
    assert "sk-not-for-tools" not in asked
    assert not bench.path("homes").exists(), "its home is removed after the stage"


@pytest.mark.req("P-14")
def test_it_works_in_its_folder_only(bench: Bench, server: ModelServer) -> None:
    (bench.workdir / "app").mkdir()
    (bench.workdir / "docs").mkdir()
    server.script = Script.of(
        Turn(run="echo 1 > in.txt; echo 2 > ../docs/added.txt; echo 3 > ../outside.txt"), DONE
    )
    bench.run(f'{NODE}"Go.", codex.workdir=app, codex.add_dirs="docs"]')
    workspace = bench.path("workspace")
    assert (workspace / "app/in.txt").exists()
    assert (workspace / "docs/added.txt").exists()
    assert not (workspace / "outside.txt").exists(), "Codex's own sandbox is on"


def test_a_model_that_refuses_fails_the_stage(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(say="no such model", status=400))
    bench.run(f'{NODE}"Go."]')
    ack = ack_of(bench)
    assert (ack.status, ack.exit_code) == ("failed", 1)
    assert "no such model" in ack.failure_reason


@pytest.mark.req("P-15")
@pytest.mark.parametrize(
    ("limit", "reason"), [("codex.timeout=10s", "timeout"), ("codex.inactivity=5s", "inactivity")]
)
def test_a_model_that_hangs_is_ended(
    bench: Bench, server: ModelServer, limit: str, reason: str
) -> None:
    server.script = Script.of(WRITE, Turn(say="late", wait=250))
    bench.run(f'{NODE}"Go.", {limit}, codex.heartbeat=500ms]')
    ack = ack_of(bench)
    assert (ack.status, ack.failure_reason, ack.exit_code) == ("timeout", reason, None)
    folder = bench.path("nodes/build/1.1")
    assert {"agent.heartbeat", "agent.timeout"} <= {entry["event"] for entry in logged(bench)}
    assert "command_execution" in (folder / "codex.stdout.log").read_text()
    assert not bench.path("homes").exists()


def test_an_agent_that_is_killed_fails_the_stage(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(run="kill -9 $PPID"), DONE)
    bench.run(f'{NODE}"Go.", codex.sandbox="danger-full-access"]')
    ack = ack_of(bench)
    assert ack.status == "failed"


@pytest.mark.req("P-14")
class TestArguments:
    def test_each_control_is_a_setting(self) -> None:
        attributes = {
            "codex.sandbox": "read-only",
            "codex.approval_policy": "on-request",
            "codex.workdir": "app",
            "codex.add_dirs": "docs, app/out",
            "codex.config": 'model_verbosity="low"\nfeatures.x=[1, 2]',
            "codex.auto_approve": "go test, go build",
            "codex.auto_approve_key": "approved",
            "codex.executable": "/opt/codex",
        }
        around = Surroundings("/run/cache", confined=False)
        words = arguments(Settings("codex", attributes, {}), "m", around)
        text = " ".join(words)
        assert words[0] == "/opt/codex"
        assert "--sandbox read-only" in text
        assert '-c approval_policy="on-request"' in text
        assert "--add-dir ../docs --add-dir out --add-dir /run/cache" in text
        assert '-c approved=["go test", "go build"]' in text
        assert '-c model_verbosity="low" -c features.x=[1, 2]' in text
        assert "--model m" in text
        assert words[-1] == "-"

    def test_the_node_comes_before_the_environment(self) -> None:
        environment = {"CUSTODY_CODEX_SANDBOX": "read-only", "CUSTODY_CODEX_MODEL": "m"}
        node = {"codex.sandbox": "danger-full-access"}
        settings = Settings("codex", node, environment)
        assert settings.text("sandbox", "workspace-write") == "danger-full-access"
        assert settings.text("model") == "m"
        assert settings.text("approval_policy", "never") == "never"


class TestReader:
    def test_tokens_of_all_turns_are_added(self) -> None:
        reader = CodexReader("m")
        for _ in range(2):
            reader.line(b'{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}')
        assert reader.reply().usage == Usage(model="m", input_tokens=10, output_tokens=4)

    def test_a_turn_that_never_completed_failed(self) -> None:
        reader = CodexReader()
        reader.line(b'{"type":"item.completed","item":{"type":"agent_message","text":"Done"}}')
        assert reader.reply().error == "the turn was not completed"

    @given(st.lists(st.binary() | st.just(b'{"type":"item.completed","item":3}')))
    def test_any_output_is_read(self, lines: list[bytes]) -> None:
        reader = CodexReader()
        for line in lines:
            reader.line(line)
        assert reader.reply().error


def test_a_program_that_is_missing_is_told(bench: Bench) -> None:
    bench.run(f'{NODE}"Go.", codex.executable="no-such-codex"]')
    ack = ack_of(bench)
    assert ack.failure_reason == "agent_not_found: no-such-codex"
    assert "npm install" in ack.failure_summary


@pytest.fixture
def holdouts(bench: Bench) -> Bench:
    """Return a bench with files that an agent may not see."""
    for name in ("scripts/scenarios/one.sh", "notes/plan.md", "app/main.py", "lib/a.py"):
        path = bench.workdir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret of the tests\n")
    return bench


def look(bench: Bench) -> Turn:
    """Return a turn that lists what is seen of the workspace."""
    seen = f"{bench.workdir}/app/seen.txt"
    return Turn(run=f"find {bench.workdir} -type f | sort > {seen}; cat {seen}")


@pytest.mark.req("P-18")
@pytest.mark.parametrize(
    ("setting", "hidden"),
    [
        ("", {"scripts/scenarios/one.sh", "lib/a.py"}),
        (", codex.allow_read_scenarios=true", {"lib/a.py"}),
        (
            ", codex.block_read_paths=notes",
            {"scripts/scenarios/one.sh", "notes/plan.md", "lib/a.py"},
        ),
    ],
)
def test_holdouts_are_not_there_for_it(
    holdouts: Bench,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    hidden: set[str],
) -> None:
    monkeypatch.setenv("ATTRACTOR_CODEX_BLOCK_READ_PATHS", "lib")
    server.script = Script.of(look(holdouts), DONE)
    holdouts.run(f'{NODE}"Go."{setting}]')
    seen = holdouts.path("workspace/app/seen.txt").read_text().split()
    everything = {
        str(path.relative_to(holdouts.workdir))
        for path in holdouts.workdir.rglob("*")
        if path.is_file()
    }
    shown = {name.removeprefix(f"{holdouts.workdir}/") for name in seen}
    assert shown - {"app/seen.txt"} == everything - hidden
    for name in everything:
        assert holdouts.path(f"workspace/{name}").read_text() == "secret of the tests\n"


@pytest.mark.req("P-19")
def test_with_a_strict_scope_it_sees_its_own_folders_only(
    holdouts: Bench, server: ModelServer
) -> None:
    server.script = Script.of(look(holdouts), DONE)
    scope = 'codex.workdir=app, codex.add_dirs="lib", codex.strict_read_scope=true'
    holdouts.run(f'{NODE}"Go.", {scope}]')
    seen = holdouts.path("workspace/app/seen.txt").read_text().split()
    shown = {name.removeprefix(f"{holdouts.workdir}/") for name in seen}
    assert shown - {"app/seen.txt"} == {"app/main.py", "lib/a.py"}
    confined = ack_of(holdouts).confined
    assert confined is not None
    assert confined.changeable == ("app", "lib")
    assert confined.own_sandbox == "danger-full-access"


@pytest.mark.req("P-14")
def test_read_only_lets_it_change_nothing(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(Turn(run="echo 1 > one.txt"), DONE)
    bench.run(f'{NODE}"Go.", codex.sandbox="read-only"]')
    assert not bench.path("workspace/one.txt").exists()


def test_it_reaches_its_model_and_nothing_else(bench: Bench, server: ModelServer) -> None:
    script = "import urllib.request as u; u.urlopen('http://example.invalid:80', timeout=9)"
    server.script = Script.of(Turn(run=f'python3 -c "{script}"; true'), DONE)
    bench.run(f'{NODE}"Go."]')
    confined = ack_of(bench).confined
    assert confined is not None
    assert (confined.network, len(confined.reach)) == ("none", 1)
    assert confined.reached == confined.reach
    assert "example.invalid:80" in confined.refused


@pytest.mark.req("I-01", "I-02")
def test_it_writes_a_document(bench: Bench, server: ModelServer) -> None:
    server.script = Script.of(
        Turn(run="echo 1 > changed.txt; true"), Turn(say="# A document\n\nby Codex")
    )
    result = api.run(
        "single",
        workdir=str(bench.workdir),
        runsdir=str(bench.runsdir),
        run_id="r1",
        variables={"task": "Explain it"},
        agent="codex",
    )
    assert result.summary.status == "PASS"
    assert bench.path("docs/single_r1.md").read_text() == "# A document\n\nby Codex\n"
    assert not bench.path("workspace/changed.txt").exists(), "who writes a document changes nothing"
    assert "Explain it" in json.dumps([asked.body for asked in server.asked])
