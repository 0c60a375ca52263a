"""The next agent is told what failed, with the first and the last of both streams."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

LOUD = """digraph loud {
  graph [goal="Repair it", output_limit=400]
  start [shape=Mdiamond]
  look  [type=tool, tool_command="sh look.sh"]
  mend  [prompt="$goal."]
  done  [shape=Msquare]
  start -> look
  look -> done [condition="outcome=success"]
  look -> mend [condition="outcome=fail"]
  mend -> done
}
"""
SCRIPT = """much() { seq -f 'line %g of a log that goes on and on' 9000; }
echo the first line; much; echo the last line
{ echo the first complaint; much; echo the last complaint; } >&2
exit 3
"""


@pytest.mark.req("U-05")
@pytest.mark.usefixtures("confined")
def test_both_ends_of_both_streams_are_in_the_prompt(terminal: Transcript) -> None:
    terminal.write("loud.dot", LOUD)
    terminal.write("source/look.sh", SCRIPT)
    terminal("custody run loud.dot --workdir source --agent stub --run-id r1")
    terminal("custody show r1 mend")
    terminal.must_be_as_kept()
