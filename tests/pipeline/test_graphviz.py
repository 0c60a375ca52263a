"""The attributes of Graphviz are those that its own programs know."""

from __future__ import annotations

import pytest

from custody.handlers import catalog
from custody.pipeline import graphviz
from custody.pipeline.read import read_pipeline

# Some of each column of Graphviz's reference, the rare ones too.
OF_GRAPH = (
    "_background beautify Damping K TBbalance bb label_scheme levelsgap mode model rotation size"
)
OF_NODE = "area fixedsize image imagepos peripheries rects root samplepoints skew vertices xlp z"
OF_EDGE = (
    "arrowhead constraint edgeURL head_lp labelfontname len ltail minlen radius tail_lp xlabel"
)


@pytest.mark.req("U-01")
@pytest.mark.parametrize(
    ("names", "of_element"),
    [(OF_GRAPH, graphviz.GRAPH), (OF_NODE, graphviz.NODE), (OF_EDGE, graphviz.EDGE)],
)
def test_the_lists_are_whole(names: str, of_element: frozenset[str]) -> None:
    assert set(names.split()) <= of_element


def test_each_element_has_its_own() -> None:
    assert "arrowhead" not in graphviz.NODE | graphviz.GRAPH
    assert "rankdir" not in graphviz.NODE | graphviz.EDGE
    assert "peripheries" not in graphviz.EDGE
    assert len(graphviz.EVERYWHERE) == 177


@pytest.mark.req("U-01")
def test_every_one_of_them_may_stand_where_graphviz_reads_it() -> None:
    own = {"label", "shape", "weight"}
    lists = [
        ", ".join(f'"{name}"="1"' for name in sorted(names - own))
        for names in (graphviz.GRAPH, graphviz.NODE, graphviz.EDGE)
    ]
    text = (
        "digraph g {{ graph [{}]\nstart [shape=Mdiamond]; done [shape=Msquare, {}]\n"
        "start -> done [{}] }}"
    ).format(*lists)
    pipeline, findings = read_pipeline(text.encode(), catalog())
    assert findings == ()
    assert pipeline is not None
