"""Building a packet from the command line."""

from __future__ import annotations

import json

import pytest

from custody.model import layout
from support.bench import Bench
from support.shell import Here

CLAIMS = """\
# What was said

## Forty-two was said

### Evidence

- nodes/a/1.1/tool.stdout.log
  ```
  42
  ```
"""


@pytest.mark.req("E-01")
def test_a_skeleton_becomes_a_packet_that_is_found_again(bench: Bench) -> None:
    bench.run("a [type=tool, tool_command=\"sh -c 'seq 50'\"]\nstart -> a -> done")
    (bench.home / "claims.md").write_text(CLAIMS)
    custody = Here(bench.home)
    of_run = ("--run", "r1", "--runsdir", "runs")
    shown = custody("evidence", "build", "claims.md", *of_run)
    assert shown.code == 0
    assert "## Forty-two was said" in shown.out
    written = custody("evidence", "build", "claims.md", *of_run, "--output", "p.json")
    assert written.out == "wrote p.json: 1 claim, 1 reference\n"
    packet = json.loads((bench.home / "p.json").read_text())
    assert packet["claims"][0]["evidence"][0]["lines"] == [42, 42]
    assert custody("evidence", "verify", "p.json", *of_run).code == 0
    custody("evidence", "build", "claims.md", *of_run, "--output", "p.md")
    assert (bench.home / "p.md").read_text() == shown.out
    (bench.home / "claims.md").write_text(CLAIMS.replace("  42\n", "  51\n"))
    refused = custody("evidence", "build", "claims.md", *of_run)
    assert refused.code == 1
    assert "the excerpt does not stand in the content" in refused.err
    assert layout.PACKET not in refused.err
