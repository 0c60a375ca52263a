from __future__ import annotations

import pytest

from custody.cli.render.plan import plan, sight
from custody.handlers import catalog
from custody.pipeline.plan import explain
from custody.pipeline.read import load_pipeline

SOURCE = b"""
digraph p {
    graph [goal="Ship it", var.name="world"]
    start [shape=Mdiamond]
    work  [label="The work", prompt="Do
        this.", agent=stub, allowed_write_paths="src/, a.txt", max_retries=2, timeout=15m]
    test  [type=tool, tool_command="make test", max_visits=3]
    done  [shape=Msquare]
    start -> work -> test
    test -> done [condition="outcome=success"]
    test -> work [condition="outcome=fail"]
}
"""


def test_every_stage_says_what_it_does_and_where_it_leads() -> None:
    pipeline = load_pipeline(SOURCE, catalog(), where="p.dot")
    assert [line.text for line in plan(pipeline, explain(pipeline))] == [
        "p  4 stages",
        "goal: Ship it",
        "variable: name = 'world'",
        "",
        "  1  start  start",
        "     then: work",
        "",
        "  2  work  codergen  The work",
        "     prompt: Do this.",
        "     agent: stub",
        "     may write: src/, a.txt",
        "     tried up to 3 times",
        "     ended after 15m",
        "     then: test",
        "",
        "  3  test  tool",
        "     tool_command: make test",
        "     entered at most 3 times",
        "     then: done if outcome=success",
        "     then: work if outcome=fail, going back",
        "     no way on after partial_success: the run would fail there",
        "",
        "  4  done  exit",
    ]


@pytest.mark.req("G-06")
def test_what_programs_see_is_a_list() -> None:
    assert [line.text for line in sight(("/usr", "/opt/tool"))][2:] == [
        "     /usr",
        "     /opt/tool",
    ]
