"""The grammar: what it reads, what it refuses by name and place, and how it goes on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.graph import Attribute, Duration
from custody.pipeline.parse_state import FINDINGS_LIMIT
from custody.pipeline.parser import parse
from custody.pipeline.syntax import Defaults, EdgeStatement, NodeStatement, SyntaxTree

BODY = "digraph g {{\n{}\n}}\n"
STATEMENT = "stands where a node, an edge or an attribute was expected"


def values(attributes: dict[str, Attribute]) -> dict[str, Any]:
    return {name: attribute.value for name, attribute in attributes.items()}


def outline(source: SyntaxTree) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for statement in source.statements:
        match statement:
            case Defaults():
                found.append((statement.scope, values(statement.attributes)))
            case NodeStatement():
                found.append((statement.id, values(statement.attributes)))
            case EdgeStatement():
                found.append((*statement.ids, values(statement.attributes)))
    return found


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("digraph {}", []),
        ("DiGraph g { ; ; }", []),
        ("digraph g { a }", [("a", {})]),
        ("digraph g { a; b\nc }", [("a", {}), ("b", {}), ("c", {})]),
        ('digraph g { "a.b-c" [] }', [("a.b-c", {})]),
        ('digraph g { "node" -> "Edge" }', [("node", "Edge", {})]),
        ("digraph g { node_a -> edge_case -> strictly }",
         [("node_a", "edge_case", "strictly", {})]),
        ("digraph g { a->b->c[x=1]; }", [("a", "b", "c", {"x": 1})]),
        ("digraph g { a [x=1, y=2; z=3,] }", [("a", {"x": 1, "y": 2, "z": 3})]),
        ("digraph g { a [x=1][y=2] }", [("a", {"x": 1, "y": 2})]),
        ('digraph g { a ["x"="1"] }', [("a", {"x": "1"})]),
        ('digraph g { rankdir=LR goal="x"; }',
         [("graph", {"rankdir": "LR"}), ("graph", {"goal": "x"})]),
        ("digraph g { graph [a=1] node [b=2] Edge [c=3] }",
         [("graph", {"a": 1}), ("node", {"b": 2}), ("edge", {"c": 3})]),
        ('digraph g { v [verification.workdir="x"] }', [("v", {"verification.workdir": "x"})]),
        ("digraph g { a [t=15m, f=0.5, b=true, s=word] }",
         [("a", {"t": Duration(seconds=900), "f": 0.5, "b": True, "s": "word"})]),
        ('digraph g { a [p="x -> y; { } // z"] }', [("a", {"p": "x -> y; { } // z"})]),
        ("// c\n# d\ndigraph /* e */ g {\n# f\na // g\n[x=1 /* , */ , /* h */ y=2]\n}\n# end",
         [("a", {"x": 1, "y": 2})]),
    ],
)  # fmt: skip
def test_reads(text: str, expected: list[tuple[Any, ...]]) -> None:
    source = parse(text)
    assert not source.findings
    assert source.complete
    assert outline(source) == expected


def test_places_are_those_of_names_and_values() -> None:
    source = parse('digraph g {\n  a [x=1,\n    y="z"]\n  a -> "b"\n}')
    node, edge = source.statements
    assert isinstance(node, NodeStatement)
    assert isinstance(edge, EdgeStatement)
    assert (node.position.line, node.position.column) == (2, 3)
    places = [(a.position.line, a.position.column) for a in node.attributes.values()]
    assert places == [(2, 8), (3, 7)]
    assert [(p.line, p.column) for p in edge.positions] == [(4, 3), (4, 8)]


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "the file ends where 'digraph' was expected"),
        ("x {}", 1, 1, "'x' stands where 'digraph' was expected"),
        ("digraph g", 1, 10, "the file ends where '{' was expected"),
        ("digraph g h {}", 1, 11, "'h' stands where '{' was expected"),
        ("graph g {}", 1, 1, "an undirected graph is not part of the language"),
        ("strict digraph {}", 1, 1, "'strict' is not part of the language"),
        ("digraph {}\ndigraph {}", 2, 1, "a second graph begins here"),
        ("digraph {} graph {}", 1, 12, "a second graph begins here"),
        ("digraph {} x", 1, 12, "'x' stands where the end of the file was expected"),
        ("digraph {}}", 1, 11, "'}' stands where the end of the file was expected"),
        ("digraph {", 1, 9, "this '{' is not closed"),
        ("digraph { a -- b }", 1, 13, "an undirected edge is not part of the language"),
        ("digraph { a:n }", 1, 12, "a port is not part of the language"),
        ("digraph { a -> b:n:sw }", 1, 17, "a port is not part of the language"),
        ("digraph { subgraph x { a } }", 1, 11, "a subgraph is not part of the language"),
        ("digraph { { a } }", 1, 11, "a subgraph is not part of the language"),
        ("digraph { a -> { b c } -> d }", 1, 16, "a subgraph is not part of the language"),
        ("digraph { a -> subgraph { b } }", 1, 16, "a subgraph is not part of the language"),
        ("digraph { a [x=<b>x</b>] }", 1, 16, "an HTML label is not part of the language"),
        ("digraph { x=<<i>y</i>> }", 1, 13, "an HTML label is not part of the language"),
        ('digraph { a [x="1"+"2"] }', 1, 19, "joined strings are not part of the language"),
        ('digraph { a [x="1\n] }', 1, 16, "this string is not closed"),
        ("digraph { /* a }", 1, 11, "this comment is not closed"),
        ("digraph { a [x=<b }", 1, 16, "an HTML label is not part of the language"),
        ("digraph { a [x=1 y] }", 1, 18, "'y' stands where ',' or ']' was expected"),
        ("digraph { a [x] }", 1, 14, "attribute 'x' has no value"),
        ("digraph { a [x=] }", 1, 16, "']' stands where a value was expected"),
        ("digraph { a [x 1] }", 1, 16, "'1' stands where '=' behind the name 'x' was expected"),
        ("digraph { a [,] }", 1, 14, "',' stands where an attribute's name was expected"),
        ("digraph { a [x=1,,y=2] }", 1, 18, "',' stands where an attribute's name was expected"),
        ("digraph { a [x=1 }", 1, 13, "this '[' is not closed"),
        ("digraph { a [x=1\nb [y=2] }", 1, 13, "this '[' is not closed"),
        ("digraph { a [x=1,\nb -> c }", 1, 13, "this '[' is not closed"),
        ("digraph { a [x=[1,2], y=2] }", 1, 16, "'[' stands where a value was expected"),
        ("digraph { a [x=007] }", 1, 16, "'007' is neither a word, a number nor a duration"),
        ("digraph { a [1x=2] }", 1, 14, "'1x' is no attribute name"),
        ('digraph { a ["x y"=2] }', 1, 14, "'x y' is no attribute name"),
        ("digraph { a [x=#fff] }", 1, 16, "'#' stands where a value was expected"),
        ("digraph { a -> }", 1, 16, "'}' stands where a node id behind '->' was expected"),
        ("digraph { -> a }", 1, 11, f"'->' {STATEMENT}"),
        ("digraph { ] }", 1, 11, f"']' {STATEMENT}"),
        ("digraph { node -> a }", 1, 11, "'node' is a keyword"),
        ("digraph { a -> Graph }", 1, 16, "'Graph' is a keyword"),
        ("digraph { strict }", 1, 11, "'strict' is a keyword"),
        ('digraph { "a b" }', 1, 11, "'a b' cannot be a node id"),
        ('digraph { "" }', 1, 11, "'' cannot be a node id"),
        ('digraph { ".." }', 1, 11, "'..' cannot be a node id"),
        ('digraph { "a/b" }', 1, 11, "'a/b' cannot be a node id"),
        (f"digraph {{ {'a' * 65} }}", 1, 11, f"'{'a' * 60}…' cannot be a node id"),
        ("digraph { grün }", 1, 13, f"'ü' {STATEMENT}"),
    ],
)  # fmt: skip
def test_refuses_by_name_and_place(text: str, line: int, column: int, message: str) -> None:
    finding = parse(text).findings[0]
    assert (finding.code, finding.severity) == ("syntax", "error")
    assert (finding.line, finding.column, finding.message) == (line, column, message)


@pytest.mark.req("P-01")
@pytest.mark.parametrize("text", ["a [x=1, x=2]", "a [x=1][x=1]", "graph [x=1, x=1]"])
def test_refuses_an_attribute_that_has_a_value_already(text: str) -> None:
    (finding,) = parse(BODY.format(text)).findings
    assert (finding.code, finding.line) == ("duplicate", 2)
    assert "already has a value, at 2:" in finding.message


@pytest.mark.req("P-02")
def test_reports_every_finding_in_one_pass() -> None:
    source = parse(
        "strict digraph g {\n"
        ' a [x="1" 2, z]\n'
        " b:n -> c -- d\n"
        " e [x=<b>f</b>, y=1]\n"
        " -> wrong\n"
        " f [x=1,\n"
        " g -> h [x=007]\n"
        " subgraph s { i { j } }\n"
        ' k [p="ok"]\n'
        "}\n"
        "digraph h {}"
    )  # fmt: skip
    places = [(finding.line, finding.column) for finding in source.findings]
    assert places == [
        (1, 1), (2, 11), (2, 14), (3, 3), (3, 11), (4, 7), (5, 2), (6, 4), (7, 12), (8, 2), (11, 1),
    ]  # fmt: skip
    assert [row[0] for row in outline(source)] == ["a", "b", "e", "f", "g", "k"]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("a [x=1 y]", True),
        ("a:n -> b", True),
        ("a -- b", True),
        ("a [x=<b>, y=1]", True),
        ("a [x=1, x=2]", True),
        ("a [x=1\n b [y=2]", True),
        ("subgraph { a }", False),
        ("-> a", False),
        ("a -> {b}", False),
        ('a [x="', False),
        ("a [x=1, b -> c]", False),
    ],
)
def test_knows_whether_nodes_or_edges_may_be_missing(text: str, complete: bool) -> None:
    source = parse(BODY.format(text))
    assert source.findings
    assert source.complete is complete


def test_suspects_a_missing_quote_where_a_string_ended_on_another_line() -> None:
    source = parse('digraph {\n a [x="1]\n b [y="2"]\n}')
    assert source.findings[0].hint == "is a quote missing? the string opened at 2:7 ends here"


@pytest.mark.parametrize("text", ["{" * 5000, "[" * 5000, "a:" * 5000, "<" * 5000, "a->" * 5000])
def test_nesting_and_chains_of_any_depth_are_read_without_recursion(text: str) -> None:
    assert parse(f"digraph g {{{text}").findings


def test_a_file_with_too_many_findings_is_given_up() -> None:
    source = parse("digraph {" + "];" * 10_000 + "}")
    assert len(source.findings) == FINDINGS_LIMIT + 1
    assert source.findings[-1].message == "too many findings; the rest is not looked at"
    assert not source.complete


@pytest.mark.req("P-01")
@given(data=st.data())
def test_never_raises_and_points_into_the_text(
    data: st.DataObject, soups: st.SearchStrategy[str]
) -> None:
    text = data.draw(soups)
    source = parse(text)
    lines = text.split("\n")
    for finding in source.findings:
        assert 1 <= finding.line <= len(lines)
        assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1
    assert source.complete or source.findings
