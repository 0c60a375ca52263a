"""Tokens, cost and time, by stage and in all; what nobody told is unknown."""

from __future__ import annotations

import json

import pytest

from support.transcript import Transcript

USAGE = {
    "model": "m",
    "input_tokens": 12_345,
    "output_tokens": 678,
    "cached_tokens": 8_000,
    "cost_usd": 0.0312,
}
ANSWERS = json.dumps(
    {
        "schema_version": "1.0",
        "answers": [{"text": "One.\n", "usage": USAGE}],
        "nodes": {"second": [{"text": "Two.\n"}]},
    }
)
WRITING = """digraph writing {
  goal="Write two pages, and look at what they cost"
  start  [shape=Mdiamond]
  first  [type=agent_task, prompt="Write the first", output_path="docs/first.md"]
  second [type=agent_task, prompt="Write the second", output_path="docs/second.md"]
  test_with_a_long_name [type=tool, tool_command="ls missing"]
  done   [shape=Msquare]
  start -> first -> second -> test_with_a_long_name -> done
}
"""


@pytest.mark.req("U-11")
@pytest.mark.usefixtures("confined")
def test_what_a_run_has_cost(terminal: Transcript) -> None:
    terminal.write("writing.dot", WRITING)
    terminal.write("answers.json", ANSWERS)
    terminal("custody run writing.dot --agent fake:answers.json --run-id r1")
    terminal("custody show r1")
    terminal("custody runs")
    terminal.must_be_as_kept()
