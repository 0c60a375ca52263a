"""No run, wherever it is kept, comes into the workspace of another."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

LOOK = """digraph look {
  start [shape=Mdiamond]
  look  [type=tool, tool_command="sh look.sh"]
  done  [shape=Msquare]
  start -> look -> done
}
"""
SCRIPT = """find . -type f | sort
cat ../events.jsonl ../../r1/events.jsonl "$RUNS/r1/events.jsonl" 2> /dev/null ||
    echo none of them can be read
"""


@pytest.mark.req("U-06")
@pytest.mark.usefixtures("confined")
def test_a_stage_sees_the_source_and_nothing_of_its_runs(terminal: Transcript) -> None:
    terminal.write("source/app.py", "x = 1\n")
    runs = terminal.folder / "source" / "my runs"
    terminal.write("source/look.sh", SCRIPT.replace("$RUNS", str(runs)))
    terminal.write("look.dot", LOOK)
    words = "--workdir source --runsdir 'source/my runs'"
    terminal(f"custody run look.dot {words} --run-id r1 -q")
    terminal(f"custody run look.dot {words} --run-id r2 -q")
    terminal("custody show r2 look --runsdir 'source/my runs'")
    terminal.must_be_as_kept()
