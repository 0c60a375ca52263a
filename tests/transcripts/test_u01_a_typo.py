"""A typo cannot switch a guard off."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

TYPO = """digraph typo {
  start [shape=Mdiamond]
  check [type=tool, tool_command="true", allowed_write_path="src/"]
  done  [shape=Msquare]
  start -> check -> done
}
"""
WARNED = TYPO.replace("digraph typo {", "digraph typo { unknown_attributes=warn")


@pytest.mark.req("U-01")
@pytest.mark.usefixtures("confined")
def test_it_is_refused_unless_the_graph_says_otherwise(terminal: Transcript) -> None:
    terminal.write("typo.dot", TYPO)
    terminal("custody check typo.dot")
    terminal("custody run typo.dot")
    assert not (terminal.folder / ".custody").exists()
    terminal.write("typo.dot", WARNED)
    terminal("custody check typo.dot")
    terminal("custody run typo.dot --run-id r1")
    terminal.must_be_as_kept()
