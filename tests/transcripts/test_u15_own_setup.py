"""An agent is used as its owner has set it up, as far as the owner says so."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from custody.testing.model_server import ModelServer, Script, Turn
from support.own_setup import MCP_SERVER, log_in
from support.programs import needs
from support.real_agents import program
from support.transcript import Transcript

BUILD = """digraph build {
  start [shape=Mdiamond]
  build [prompt="Go."]
  done  [shape=Msquare]
  start -> build -> done
}
"""
OWN = """[agents.codex]
login = true
instructions = true
git = true
mcp.notes.command = ["PYTHON", "NOTES"]
"""
DONE = Turn(say="It is done.")
LOOKS = Turn(run="git log --format=%s > seen.txt; ls $CODEX_HOME/auth.json | wc -l >> seen.txt")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Return a model."""
    with ModelServer(Script.of(LOOKS, DONE)) as server:
        yield server


@needs("git")
@pytest.mark.req("U-15")
@pytest.mark.usefixtures("confined")
def test_what_codex_gets_of_it(terminal: Transcript, server: ModelServer) -> None:
    local = f'name="local", base_url="{server.url}/v1", wire_api="responses"'
    terminal.environment |= {
        "CUSTODY_CODEX_EXECUTABLE": program("codex"),
        "CUSTODY_CODEX_CONFIG": f"model_providers.local={{{local}, requires_openai_auth=true}}\n"
        'model_provider="local"',
        "CUSTODY_CODEX_MODEL": "scripted",
    }
    log_in(terminal.home, "codex")
    terminal.write("build.dot", BUILD)
    terminal.write("project/AGENTS.md", "Write poems only.\n")
    run = "custody run build.dot --agent codex --workdir project -q --run-id"
    terminal(f"{run} r1")
    terminal("cat .custody/runs/r1/workspace/seen.txt")
    notes = terminal.home / "notes.py"
    notes.write_text(MCP_SERVER)
    settings = terminal.home / ".config/custody/custody.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(OWN.replace("PYTHON", sys.executable).replace("NOTES", str(notes)))
    terminal(f"{run} r2")
    terminal("cat .custody/runs/r2/workspace/seen.txt")
    terminal("grep -o '\"own\":[^]]*]' .custody/runs/r2/nodes/build/1.1/codex.log.jsonl")
    terminal.must_be_as_kept()
