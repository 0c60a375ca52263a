"""With ``--ingest`` the model is told the one form that is read, and every block is told of."""

from __future__ import annotations

import json

import pytest

from support.transcript import Transcript

DOCUMENT = "One.\n\n```python file=a.py\nx = (\n```\n\n```python\nno\n```\n\n```sh file=../x\n```\n"
ANSWERS = json.dumps(
    {
        "schema_version": "1.0",
        "answers": [{"text": DOCUMENT}],
        "nodes": {"second": [{"text": "Two.\n"}]},
    }
)
WRITING = """digraph writing {
  start  [shape=Mdiamond]
  first  [type=agent_task, prompt="Write the first", output_path="docs/first.md"]
  second [type=agent_task, prompt="Write the second", output_path="docs/second.md"]
  done   [shape=Msquare]
  start -> first -> second -> done
}
"""


@pytest.mark.req("U-10")
def test_what_became_of_each_block(terminal: Transcript) -> None:
    terminal.write("writing.dot", WRITING)
    terminal.write("answers.json", ANSWERS)
    terminal("custody run writing.dot --agent fake:answers.json --ingest --run-id r1")
    terminal("grep --before-context=3 'file=' .custody/runs/r1/nodes/first/1.1/prompt.md")
    terminal.write("doc.md", DOCUMENT)
    terminal("custody ingest doc.md")
    terminal.must_be_as_kept()
