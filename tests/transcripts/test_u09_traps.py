"""``check`` finds what a graph cannot mean."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

TRAPS = """digraph traps {
  start  [shape=Mdiamond]
  test   [type=tool, tool_command="true"]
  report [prompt="Report."]
  extra  [prompt="More."]
  done   [shape=Msquare]
  failed [shape=Msquare]
  start -> test
  start -> extra [condition="outcome=fail"]
  extra -> done
  test -> done   [condition="outcome=success"]
  test -> failed [condition="outcome=fail"]
  test -> report [condition="outcome=fail"]
  report -> done
}
"""


@pytest.mark.req("U-09")
def test_an_exit_an_edge_and_a_node_that_are_not_meant(terminal: Transcript) -> None:
    terminal.write("traps.dot", TRAPS)
    terminal("custody check traps.dot")
    terminal.must_be_as_kept()
