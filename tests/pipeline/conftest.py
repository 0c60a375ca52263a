"""A small catalog, a short way to read a pipeline, and generated texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import strategies as st

from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Catalog, Families, Node, NodeType, Pipeline
from custody.pipeline.build import build
from custody.pipeline.parser import parse
from custody.pipeline.read import read_pipeline

Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]
Good = Callable[[str], Pipeline]

HEAD = "start [shape=Mdiamond]; done [shape=Msquare]\n"

FRAGMENTS = (
    *("digraph", "graph", "strict", "subgraph", "node", "edge", "g", "a", "b", "shape", "type"),
    *("{", "}", "[", "]", "=", ",", ";", ":", "->", "--", "+", "<", ">", "<b>x</b>", "\n", " "),
    *('"a"', '"two\nlines"', '"', '\\"', "'", "#", "\n# line\n", "//", "// c\n", "/*", "*/"),
    *("1", "-1", "0.5", ".5", "15m", "250ms", "007", "1e5", "true", "false", "-", "--flag", "é"),
    *("goal=x", "a -> b", "a [x=1, y=2]", "a [x=1 y=2]", "start [shape=Mdiamond]", "\0", "\u202e"),
)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Return five node types."""

    def rule(name: str, kind: str = "string", *, required: bool = False) -> AttributeRule:
        return AttributeRule(name=name, kind=kind, doc="", required=required)  # type: ignore[arg-type]

    def check(node: Node) -> Iterator[Finding]:
        command = node.attributes["tool_command"]
        if node.text("tool_command").startswith("sudo"):
            place = command.position
            yield Finding(code="sudo", message="no", line=place.line, column=place.column)

    zoo = {
        "cat": (
            rule("cat.lives", "integer"),
            AttributeRule(name="cat.mood", kind="string", doc="", choices=("good", "bad")),
            AttributeRule(name="cat.foes", kind="list", doc="", choices=("dog", "bird")),
            AttributeRule(name="cat.dens", kind="list", doc="", paths=True),
        ),
        "dog": (rule("dog.leash_length", "integer"),),
        "verification": (rule("verification.lives", "integer"),),
    }
    kinds = (
        NodeType(name="start", shape="Mdiamond", doc=""),
        NodeType(name="exit", shape="Msquare", doc="", attributes=(rule("status"),)),
        NodeType(
            name="codergen",
            shape="box",
            doc="",
            attributes=(rule("prompt"), rule("test.*")),
            families=Families(lambda word: zoo.get(word, ()), lambda: ("cat.mood", "cat.dens")),
        ),
        NodeType(
            name="tool",
            shape="parallelogram",
            doc="",
            attributes=(rule("tool_command", required=True), rule("ratio_of_x", "float")),
            check=check,
        ),
        NodeType(name="verification", doc="", attributes=(rule("verification.workdir"),)),
    )
    return {kind.name: kind for kind in kinds}


@pytest.fixture(scope="session")
def read(catalog: Catalog) -> Read:
    """Return a function that reads a text."""
    return lambda text: read_pipeline(text.encode(), catalog)


@pytest.fixture(scope="session")
def good(read: Read) -> Good:
    """Return a function that reads the body of a graph with ``start`` and ``done`` in it."""

    def read_good(body: str) -> Pipeline:
        pipeline, findings = read(f"digraph g {{ {HEAD}{body}\n}}")
        assert pipeline is not None, findings
        return pipeline

    return read_good


@pytest.fixture(scope="session")
def built(catalog: Catalog) -> Good:
    """Return a function that builds the body of a graph, whatever the rules say of it."""

    def build_body(body: str) -> Pipeline:
        text = f"digraph g {{ {HEAD}{body}\n}}"
        return build(parse(text), text.encode(), catalog)[0]

    return build_body


@pytest.fixture(scope="session")
def soups() -> st.SearchStrategy[str]:
    """Return texts made of the language's own words, most of them wrong."""
    words = st.lists(st.sampled_from(FRAGMENTS), max_size=40)
    soup = st.builds(
        lambda parts, blank: blank.join(parts), words, st.sampled_from(["", " ", "\n"])
    )
    body = st.builds("digraph g {{\n{}\n}}\n".format, soup)
    return soup | body | st.text(max_size=60)


@pytest.fixture(scope="session")
def texts() -> st.SearchStrategy[str]:
    """Return what a quoted string can hold."""
    return st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"))
