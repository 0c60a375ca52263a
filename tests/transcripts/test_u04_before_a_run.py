"""What a pipeline needs is looked for before a run exists, and an agent can be tried."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

LACKING = """digraph lacking {
  start [shape=Mdiamond]
  ask   [agent=codex, prompt="Go.", codex.executable="no-such-codex", codex.reach="127.0.0.1:1"]
  play  [agent="fake:no-such-book.json", prompt="Go."]
  use   [type=tool, tool_command="no-such-tool --quick"]
  judge [type=verification, verification.required_commands="no-such-judge -q"]
  done  [shape=Msquare]
  start -> ask -> play -> use -> judge -> done
}
"""


@pytest.mark.req("U-04")
@pytest.mark.usefixtures("confined")
def test_all_that_is_missing_is_told_at_once(terminal: Transcript) -> None:
    terminal.write("lacking.dot", LACKING)
    terminal("custody run lacking.dot")
    assert not (terminal.folder / ".custody").exists()
    terminal("custody doctor --agent 'command:tail -n 1'")
    for name, value in (("EXECUTABLE", "no-such-codex"), ("REACH", "127.0.0.1:1")):
        terminal.environment[f"CUSTODY_CODEX_{name}"] = value
    terminal("custody doctor --agent codex")
    terminal.must_be_as_kept()
