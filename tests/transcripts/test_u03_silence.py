"""An agent is ended for silence only when it does not work either, and the setting is named."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

SILENT = """digraph silent {
  start [shape=Mdiamond]
  ask   [prompt="Wait.", agent="command:sh work.sh", command.inactivity=1]
  done  [shape=Msquare]
  start -> ask -> done
}
"""


@pytest.mark.req("U-03")
@pytest.mark.usefixtures("confined")
def test_what_ends_an_agent_that_does_nothing(terminal: Transcript) -> None:
    terminal.write("silent.dot", SILENT)
    terminal.write("source/work.sh", "echo 'I look at it'\nsleep 900\n")
    terminal("custody run silent.dot --workdir source --run-id r1")
    terminal.must_be_as_kept()
