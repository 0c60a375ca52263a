"""Which variables a verification may set, and how output and exit code reach later stages."""

from __future__ import annotations

import pytest

from support.transcript import Transcript

PLANNED = """digraph planned {
  start  [shape=Mdiamond]
  build  [prompt="Build.", agent="fake",
          test.verification_plan_json="{\\"commands\\": [\\"COMMAND\\"]}"]
  verify [type=verification, verification.required_commands="true",
          verification.allowed_commands="sh show.sh"]
  done   [shape=Msquare]
  failed [shape=Msquare, status=fail]
  start -> build -> verify
  verify -> done   [condition="outcome=success"]
  verify -> failed [condition="outcome=fail"]
}
"""
PASSED_ON = """digraph passed_on {
  start [shape=Mdiamond]
  count [type=tool, tool_command="sh count.sh"]
  note  [type=write_file, output_path="docs/note.md",
         content="exit code ${count.exit_code}, it said ${count.stdout}"]
  done  [shape=Msquare]
  start -> count
  count -> note [condition="count.exit_code=7"]
  count -> done [condition="count.exit_code!=7"]
  note -> done
}
"""


@pytest.mark.req("U-16")
@pytest.mark.usefixtures("confined")
def test_a_plan_that_is_admitted_one_that_is_not_and_an_exit_code(terminal: Transcript) -> None:
    terminal.write("source/show.sh", 'echo "APP_ENV is $APP_ENV"\n')
    terminal.write("source/count.sh", "echo three; exit 7\n")
    terminal.write("planned.dot", PLANNED.replace("COMMAND", "APP_ENV=test sh show.sh"))
    terminal.write("steered.dot", PLANNED.replace("COMMAND", "LD_PRELOAD=x sh show.sh"))
    terminal.write("passed_on.dot", PASSED_ON)
    terminal("custody run planned.dot --workdir source --run-id r1 -q")
    terminal("custody run steered.dot --workdir source --run-id r2 -q")
    terminal("custody run passed_on.dot --workdir source --run-id r3 -q")
    terminal("cat .custody/runs/r3/docs/note.md")
    terminal.must_be_as_kept()
