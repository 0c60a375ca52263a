"""Rules about the graph as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.finding import Finding
from custody.model.graph import Pipeline

Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

CASES = [
    ("s [shape=Mdiamond]; d [shape=Msquare]; s -> d", []),
    ("s [type=start]; d [type=exit]; e [type=exit]; s -> d; s -> e",
     ["never_taken"]),
    ("", ["exit", "start"]),
    ("d [shape=Msquare]; a -> d; a", ["start"]),
    ("s [shape=Mdiamond]; a; s -> a", ["exit"]),
    ("s [shape=Mdiamond]; t [shape=Mdiamond]; d [shape=Msquare]; s -> d; t -> d", ["start"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; a; s -> d; a -> d", ["unreachable"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; a; s -> d; s -> a",
     ["never_taken", "no_exit_path"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; a; b; s -> d; s -> a; a -> b; b -> a",
     ["never_taken", "no_exit_path", "no_exit_path"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; a; s -> d", ["no_exit_path", "unreachable"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; e [shape=Msquare]; s -> d", ["unreachable"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; s -> d; a; a -> a", ["no_exit_path", "unreachable"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; s -> d; s -> s", ["start_incoming"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; a; s -> a -> d; a -> s", ["start_incoming"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; a; s -> a -> d; d -> a", ["exit_outgoing"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; s -> d; d -> d", ["exit_outgoing"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; s -> d; x -> s; d -> y",
     ["exit_outgoing", "start_incoming", "undeclared", "undeclared"]),
    ("s [shape=Mdiamond]; d [shape=Msquare]; s -> d; s -> d", ["duplicate"]),
    ('s [shape=Mdiamond]; d [shape=Msquare]; s -> d; s -> d [condition="outcome=fail"]', []),
]  # fmt: skip


@pytest.mark.req("P-02")
@pytest.mark.parametrize(("body", "expected"), CASES)
def test_every_finding_about_the_graph(body: str, expected: list[str], read: Read) -> None:
    _, findings = read(f"digraph g {{ {body} }}")
    assert sorted(finding.code for finding in findings) == expected


@pytest.mark.req("P-02")
def test_findings_of_all_rules_come_in_one_pass_in_order_of_their_places(read: Read) -> None:
    pipeline, findings = read(
        "digraph g {\n"
        "  start [shape=Mdiamond]\n"
        "  done [shape=Msquare]\n"
        '  a [prompt="${nope}", promt=x]\n'
        "  b [type=tool]\n"
        "  c [type=banana]\n"
        "  start -> a -> done\n"
        '  a -> b [condition="outcome=maybe"]\n'
        "  a -> gone\n"
        "  done -> a -> start\n"
        "}\n"
    )
    assert pipeline is None
    assert [(f.line, f.column, f.code) for f in findings] == [
        (4, 13, "template"),
        (4, 24, "unknown_attribute"),
        (5, 3, "attribute"),
        (5, 3, "no_exit_path"),
        (6, 3, "no_exit_path"),
        (6, 3, "unreachable"),
        (6, 11, "unsupported"),
        (8, 21, "condition"),
        (9, 8, "undeclared"),
        (10, 3, "exit_outgoing"),
        (10, 11, "start_incoming"),
    ]


def test_a_part_that_could_not_be_read_is_not_missed(read: Read) -> None:
    _, findings = read("digraph g {\n start [shape=Mdiamond, promt=x]\n subgraph { done }\n}")
    assert [finding.code for finding in findings] == ["unknown_attribute", "syntax"]
