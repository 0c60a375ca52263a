"""What is not copied, what agents do not see, and how runs are removed."""

from __future__ import annotations

import pytest

from support.programs import needs
from support.transcript import Transcript

LOOK = """digraph look {
  start [shape=Mdiamond]
  ask   [prompt="Look.", agent="command:sh look.sh"]
  done  [shape=Msquare]
  start -> ask -> done
}
"""
SCRIPT = """find . -type f | sort
cat .env 2> /dev/null || echo the secret cannot be read
"""


@needs("git")
@pytest.mark.req("U-14")
@pytest.mark.usefixtures("confined")
def test_from_init_to_prune(terminal: Transcript) -> None:
    for name in ("app.py", "data/big.bin", "keep.log", "noise.log", ".env"):
        terminal.write(f"project/{name}", "x\n")
    terminal.write("project/look.sh", SCRIPT)
    terminal.write("project/.custodyignore", "*.log\n!keep.log\n")
    codex = terminal.program("installed/codex", "#!/bin/sh\n")  # `init` looks for agents
    terminal.environment["PATH"] = f"{codex.parent}:{terminal.environment['PATH']}"
    terminal("cd project && git init -q && custody init --test 'sh look.sh'")
    terminal("cd project && cat .gitignore && git status --short")
    terminal.write("project/custody.toml", 'exclude = ["data/"]\nworkdir = "."\n')
    terminal.write("project/look.dot", LOOK)
    terminal("cd project && custody run look.dot --run-id r1 -q")
    terminal("cat project/.custody/runs/r1/nodes/ask/1.1/response.md")
    terminal("cd project && custody run look.dot --run-id r2 -q")
    terminal("cd project && custody prune --keep 1")
    terminal("cd project && custody rm r2")
    terminal("cd project && custody runs")
    terminal.must_be_as_kept()
