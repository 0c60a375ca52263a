"""Ways that look open and are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.handlers import catalog
from custody.model.finding import Finding
from custody.model.graph import Pipeline
from custody.pipeline.read import read_pipeline

Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

HEAD = (
    "start [shape=Mdiamond]; done [shape=Msquare]; bad [shape=Msquare{}]\n"
    'test [type=tool, tool_command="x"]; fix [prompt="y"]\n'
)


def traps(body: str, status: str = ", status=fail") -> list[tuple[str, int, str]]:
    """Return code, line and message of every finding; all of them are warnings."""
    text = f"digraph g {{ {HEAD.format(status)}{body}\n}}"
    pipeline, findings = read_pipeline(text.encode(), catalog())
    assert pipeline is not None, findings
    assert {finding.severity for finding in findings} <= {"warning"}
    assert all(finding.hint for finding in findings)
    return [(finding.code, finding.line, finding.message) for finding in findings]


GOOD = 'start -> test; test -> done [condition="outcome=success"]; fix -> test\n'
TO_FIX = 'test -> fix [condition="outcome=fail && context.x=1", weight=1]\n'


TO_BAD = 'test -> bad [condition="outcome=fail"]\n'


@pytest.mark.req("U-09")
@pytest.mark.parametrize(
    "condition",
    ["outcome=fail", "outcome!=success && outcome!=partial_success",
     "outcome=fail && context.x=2", "test.exit_code=1", "test.exit_code!=0"],
)  # fmt: skip
def test_an_exit_that_only_failures_lead_to_must_say_how_it_ends(condition: str) -> None:
    body = f'{GOOD}{TO_FIX}test -> bad [condition="{condition}"]'
    assert traps(body) == traps(body, ", status=success") == []
    ((code, line, message),) = traps(body, "")
    assert (code, line) == ("exit_status", 1)
    assert message == "only failures lead to exit 'bad', and a run that ends there passes"


@pytest.mark.req("U-09")
@pytest.mark.parametrize(
    "edges",
    [
        'test -> bad [condition="outcome!=success"]',
        'test -> bad [condition="context.x=2"]',
        'test -> bad [condition="test.exit_code!=1"]',
        'test -> bad [condition="outcome=fail"]; fix -> bad [condition="outcome=success"]',
    ],
)
def test_an_exit_that_success_may_lead_to_need_not(edges: str) -> None:
    assert traps(f"{GOOD}{TO_FIX}{edges}", "") == []


@pytest.mark.req("U-09")
@pytest.mark.parametrize(
    ("edges", "never"),
    [
        ("start -> test; start -> fix; test -> done; fix -> bad", "'start' to 'test'"),
        ("start -> test [weight=2]; start -> fix; test -> done; fix -> bad", "'start' to 'fix'"),
        (f'{GOOD}{TO_BAD}test -> fix [condition="outcome=fail"]', "'test' to 'fix'"),
        (f'{GOOD}{TO_BAD}test -> fix [condition="context.x=1 && outcome=fail"]', "'test' to 'fix'"),
        (f'{GOOD}{TO_BAD}test -> done [condition="outcome=partial_success"]; test -> fix',
         "'test' to 'fix'"),
    ],
)  # fmt: skip
def test_an_edge_that_another_always_goes_before_can_never_be_taken(edges: str, never: str) -> None:
    found = [message for code, _, message in traps(edges) if code == "never_taken"]
    assert found == [f"the edge from {never} can never be taken"]


@pytest.mark.req("U-09")
@pytest.mark.parametrize(
    "edges",
    [
        'test -> bad [condition="outcome=fail"]; test -> fix [condition="outcome=fail", weight=2]',
        'test -> bad [condition="outcome=fail"]; test -> fix',
        'test -> fix [condition="outcome=fail && context.x=1"]; test -> bad [weight=1]',
    ],
)
def test_edges_that_can_be_told_apart_are_silent(edges: str) -> None:
    known = traps(f"{GOOD}{edges}")
    assert [row for row in known if row[2].startswith("the edge from 'test' to 'fix'")] == []


@pytest.mark.req("U-09")
def test_a_node_that_no_run_can_reach_is_found_once() -> None:
    body = 'start -> test -> done; start -> fix [condition="outcome=fail"]; fix -> bad'
    assert traps(body) == [
        ("no_route", 2, "no run can reach node 'fix': no way to it can ever be taken")
    ]


@pytest.mark.req("U-09")
def test_what_an_untaken_edge_leads_to_is_not_told_twice() -> None:
    body = "start -> test -> done; start -> fix -> bad"
    assert [code for code, _, _ in traps(body)] == ["never_taken"]


def test_thousands_of_edges_are_looked_at_once(read: Read) -> None:
    names = [f"n{index}" for index in range(3000)]
    nodes = "".join(f'{name} [prompt="x"]; {name} -> done\n' for name in names)
    edges = "".join(f'start -> {name} [condition="context.x={name}"]\n' for name in names)
    text = f"digraph g {{ start [shape=Mdiamond]; done [shape=Msquare]\n{nodes}{edges}}}"
    assert read(text)[1] == ()
