"""Defaults, repeated declarations and names that nobody declared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.finding import Finding
from custody.model.graph import Duration, Pipeline
from custody.pipeline.build import DEFAULTS_LIMIT
from custody.pipeline.vocabulary import ALIASES

Good = Callable[[str], Pipeline]
Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

BODY = "digraph g {{ start [shape=Mdiamond]; done [shape=Msquare]\n{}\n}}"


def test_a_default_applies_to_nodes_declared_behind_it(good: Good) -> None:
    pipeline = good(
        "a [prompt=x]; node [timeout=15m, prompt=default]; b [prompt=own]; c\n"
        "node [timeout=1h]; d\n"
        "start -> a -> b -> c -> d -> done"
    )
    timeouts = {name: node.get("timeout") for name, node in pipeline.nodes.items()}
    assert timeouts["a"] is None
    assert timeouts["b"] == timeouts["c"] == Duration(seconds=900)
    assert timeouts["d"] == Duration(seconds=3600)
    assert pipeline.nodes["b"].text("prompt") == "own"
    assert pipeline.nodes["c"].text("prompt") == "default"
    assert list(pipeline.nodes["b"].attributes) == ["prompt", "timeout"]


def test_a_default_applies_to_edges_written_behind_it(good: Good) -> None:
    pipeline = good("a; b; start -> a; edge [weight=3]; a -> b; b -> done [weight=4]")
    assert [edge.weight for edge in pipeline.edges] == [0, 3, 4]


def test_chained_edges_share_their_attributes(good: Good) -> None:
    pipeline = good('a; b; start -> a -> b -> done [weight="2", condition="outcome=success"]')
    ends = [(edge.source, edge.target, edge.weight, edge.condition) for edge in pipeline.edges]
    assert ends == [
        ("start", "a", 2, "outcome=success"),
        ("a", "b", 2, "outcome=success"),
        ("b", "done", 2, "outcome=success"),
    ]
    assert [edge.position.column for edge in pipeline.edges] == [7, 16, 21]


def test_graph_attributes_come_from_assignments_and_lists(good: Good) -> None:
    pipeline = good('goal="ship"; graph [max_steps=5, var.lang="py"]; start -> done')
    assert pipeline.goal == "ship"
    assert pipeline.variables == {"lang": "py"}
    assert pipeline.attributes["max_steps"].value == 5


def test_a_node_may_be_declared_before_and_behind_its_edges(good: Good) -> None:
    pipeline = good("start -> a; a [prompt=x]; a -> done; a [max_retries=1]")
    assert pipeline.nodes["a"].text("prompt") == "x"
    assert pipeline.nodes["a"].integer("max_retries", 0) == 1


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    "text",
    [
        "a [type=tool, tool_command=x]; a [type=codergen]",
        "a [prompt=x]; a [prompt=y]",
        "a; goal=x; goal=y",
        "a; goal=x; graph [goal=y]",
    ],
)
def test_a_repeated_declaration_cannot_change_a_value(text: str, read: Read) -> None:
    pipeline, findings = read(BODY.format(f"{text}; start -> a -> done"))
    assert pipeline is None
    assert [finding.code for finding in findings] == ["duplicate"]
    assert "already has another value" in findings[0].message


@pytest.mark.req("P-02")
def test_an_edge_to_an_undeclared_node_is_one_finding_with_the_name_that_was_meant(
    read: Read,
) -> None:
    pipeline, findings = read(BODY.format("build\nstart -> build -> tset -> done\nstart -> tset"))
    assert pipeline is None
    (finding,) = findings
    assert (finding.code, finding.line, finding.column) == ("undeclared", 3, 19)
    assert finding.message == "node 'tset' is not declared"
    _, findings = read(BODY.format("build\nstart -> buidl -> done\nstart -> build -> done"))
    assert findings[0].hint == "did you mean 'build'?"


def test_defaults_are_bounded(read: Read) -> None:
    many = "".join(f"node [x{index}=1]\n" for index in range(DEFAULTS_LIMIT + 5))
    _, findings = read(BODY.format(f"{many} start -> done"))
    assert [f.message for f in findings if f.severity == "error"] == [
        f"more than {DEFAULTS_LIMIT} default attributes"
    ] * 5


@pytest.mark.req("U-18")
@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_a_name_of_another_system_is_read_as_ours(alias: str, built: Good) -> None:
    ours = ALIASES[alias].name
    own = built(f'a [{alias}="1"]').nodes["a"]
    inherited = built(f'node [{alias}="1"]; a').nodes["a"]
    assert own.text(ours) == inherited.text(ours) == "1"
    assert alias not in own.attributes
    nearer = built(f'node [{ours}="0"]; a [{alias}="1"]').nodes["a"]
    assert nearer.text(ours) == "1"


@pytest.mark.req("U-18")
def test_entries_are_parted_as_ours_are(built: Good) -> None:
    node = built('a [codex.config_overrides="x=1;;y=2"]').nodes["a"]
    assert node.text("codex.config") == "x=1\ny=2"


@pytest.mark.req("U-18")
def test_both_names_on_one_node_are_a_finding(read: Read) -> None:
    _, findings = read(BODY.format("a [agent=x, agent.backend=x] start -> a -> done"))
    assert [f.message for f in findings if f.code == "alias"] == [
        "agent.backend is another name for agent, which is given too"
    ]
