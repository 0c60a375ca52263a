"""No agent is chosen by silence, and who stands in for one is named."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

PLAIN = """digraph plain {
  start [shape=Mdiamond]
  plan  [prompt="Plan."]
  build [prompt="Build."]
  done  [shape=Msquare]
  start -> plan -> build -> done
}
"""


@pytest.mark.req("U-02")
def test_nothing_runs_without_one(terminal: Transcript) -> None:
    terminal.write("plain.dot", PLAIN)
    terminal("custody run plain.dot")
    assert not (terminal.folder / ".custody").exists()
    terminal("custody run plain.dot --agent stub --run-id r1")
    terminal.must_be_as_kept()
