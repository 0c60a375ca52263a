"""A pipeline with the names of the system that document 003 describes runs unchanged."""

from __future__ import annotations

import json

import pytest

from support.servers import Server
from support.transcript import Transcript

PUBLIC = """\ufeffdigraph Build {
  graph [goal="Write a program" rankdir=LR]
  start [shape=Mdiamond];
  exit [shape=Msquare];
  exit_failed [shape=Msquare];
  implement [
    shape=box
    agent.backend="codex"
    codex.path="bin/codex"
    codex.approval="never"
    codex.timeout_seconds=60
    codex.heartbeat_seconds=5
    codex.workdir="app"
    codex.add_dirs="specs"
    codex.strict_read_scope=true
    codex.skip_git_repo_check=true
    codex.disable_mcp=true
    codex.config_overrides="model_verbosity=low;;hide_agent_reasoning=true"
    codex.auto_approve_commands="python3"
    allowed_write_paths="app/"
    prompt="Write main.py as specs/app.md says.\\nReturn a verification_plan.\\n"
  ];
  verify [
    shape=parallelogram
    type=verification
    "verification.allowed_commands"="python3,test -f"
    "verification.workdir"="app"
  ];
  fix [shape=box agent.backend="codex" codex.path="bin/codex" prompt="Repair it.\\n"];
  start -> implement -> verify;
  verify -> exit [condition="outcome=success"];
  verify -> fix [condition="outcome=fail" weight=2];
  verify -> exit_failed [condition="outcome=fail" weight=1];
  fix -> verify;
}
"""
SAID = {
    "verification_plan": {
        "files": ["app/main.py"],
        "commands": ["test -f main.py", "APP_ENV=test python3 main.py"],
    }
}
EVENTS = (
    {"type": "item.completed", "item": {"type": "agent_message", "text": json.dumps(SAID)}},
    {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
)
CODEX = "#!/bin/sh\ncat > /dev/null\necho 'print(1)' > main.py\ncat <<'END'\n{}\nEND\n".format(
    "\n".join(map(json.dumps, EVENTS))
)


@pytest.mark.req("U-18", "P-14")
@pytest.mark.usefixtures("confined")
def test_it_runs_as_it_is(terminal: Transcript) -> None:
    terminal.program("work/bin/codex", CODEX)
    terminal.write("work/app/README.md", "An app.\n")
    terminal.write("work/specs/app.md", "Say hello.\n")
    terminal.write("public.dot", PUBLIC)
    terminal("custody check public.dot")
    with Server(lambda connection: connection.close()) as server:
        terminal.environment |= {"OPENAI_API_KEY": "x", "CUSTODY_CODEX_REACH": server.name}
        terminal("custody run public.dot --workdir work --run-id r1")
    terminal("custody replay r1")
    stages = terminal.folder / ".custody/runs/r1/nodes"
    arguments = (stages / "implement/1.1/codex.args.txt").read_text()
    assert arguments.startswith("../bin/codex exec")
    for word in ('approval_policy="never"', "-c model_verbosity=low", "auto_approve_commands"):
        assert word in arguments
    plan = json.loads((stages / "verify/1.1/verification.plan.json").read_text())
    assert plan["required_files"] == ["app/main.py"]
    assert plan["commands"] == ["test -f main.py", "APP_ENV=test python3 main.py"]
    terminal.must_be_as_kept()
