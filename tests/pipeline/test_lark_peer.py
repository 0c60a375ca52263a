"""The parser and the same language as a lark grammar read the same, and refuse the same."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import lark
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from custody.pipeline.parser import parse
from custody.pipeline.syntax import SyntaxTree

TESTS = Path(__file__).parents[1]
CORPUS: list[str] = [
    case["input"]
    for case in json.loads((TESTS / "hostile" / "corpus.json").read_text())
    if case["surface"] == "pipeline"
]


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    path = TESTS.parent / "benchmarks" / "lark_dot.py"
    spec = importlib.util.spec_from_file_location("lark_dot", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_by(peer: ModuleType, text: str) -> SyntaxTree | None:
    try:
        source: SyntaxTree = peer.parse(text)
    except (lark.UnexpectedInput, ValueError):
        return None
    return source


def agree(peer: ModuleType, text: str) -> None:
    ours = parse(text)
    theirs = read_by(peer, text)
    assert (theirs is None) is bool(ours.findings), ours.findings
    if theirs is not None:
        assert ours == theirs


@pytest.mark.req("P-01")
@pytest.mark.parametrize("text", CORPUS, ids=range(len(CORPUS)))
def test_both_agree_on_the_corpus(text: str, peer: ModuleType) -> None:
    agree(peer, text)


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    "text",
    [
        "digraph { node=1; edge [graph=2]; a [strict=digraph] }",
        "digraph strict { nodes -> node_a; edge-x -> strict. }",
        "digraph { node->a }",
        "digraph { a -> digraph }",
        'digraph "" { "node" -> "a" }',
        "digraph { a [x=1;y=2,] [] [z=3] ;; }",
        "# x\ndigraph {\n \t# y\n a /* # */ // #\n}# z",
        "digraph {\n# z\n}\n# z",
        "digraph { a [x=-1, y=-.5, z=5., w=15m] }",
        "digraph { a [x=1.5.5] }",
        "digraph { a [x=--1] }",
        'digraph { a [x="\\\\"] }',
        'digraph { a [x="\\\\\\"] }',
        "digraph { a\u00a0 }",
    ],
)
def test_both_agree_where_it_is_delicate(text: str, peer: ModuleType) -> None:
    agree(peer, text)


words = st.sampled_from(
    ["a", "b.c", "d-e", "_f", "1", "node", "Graph", '"g h"', '"i"', '"j\nk"', '"l\\"m"', "15m", "é"]
)
blanks = st.sampled_from(["", " ", " ", "\n", "// c\n", "/* d */", "\n# e\n"])
marks = st.sampled_from(["->", "->", "[", "]", "=", "=", ",", ";", "{", "}", "--", ":", "+"])
values = st.one_of(words, st.sampled_from(["2", "-3", "0.5", "true", '"t"', "250ms", "007"]))
attributes = st.builds("{}{}={}{}".format, words, blanks, blanks, values)
lists = st.builds(
    "[{}{}]".format,
    st.lists(attributes, max_size=3).flatmap(
        lambda a: st.sampled_from([", ", "; ", ","]).map(lambda s: s.join(a))
    ),
    st.sampled_from(["", ",", " ;"]),
)
statements = st.one_of(
    st.builds("{} {}".format, words, lists),
    st.builds("{}{}->{}{} {}".format, words, blanks, blanks, words, lists),
    st.builds("{} -> {} -> {}".format, words, words, words),
    st.builds("{} = {}".format, words, values),
    st.builds("{} {}".format, st.sampled_from(["node", "edge", "graph"]), lists),
    st.builds("{}{}{}".format, words, marks, words),
)
graphs = st.builds(
    "{}digraph {}{{{}{}}}{}".format,
    blanks,
    st.sampled_from(["", "g ", '"a b" ']),
    blanks,
    st.lists(statements, max_size=5).flatmap(
        lambda s: st.sampled_from(["\n", "; ", " "]).map(lambda j: j.join(s))
    ),
    blanks,
)


@pytest.mark.req("P-01")
@given(graphs)
@example("digraph g { a [x=1, x=2] }")
def test_both_agree_on_generated_graphs(peer: ModuleType, text: str) -> None:
    agree(peer, text)


@given(data=st.data())
def test_both_agree_on_soups(
    data: st.DataObject, soups: st.SearchStrategy[str], peer: ModuleType
) -> None:
    agree(peer, data.draw(soups))
