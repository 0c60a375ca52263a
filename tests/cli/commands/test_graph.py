"""A picture of a pipeline."""

from __future__ import annotations

import shutil

import pytest

from support.shell import Shell


def test_graph_as_text_and_as_dot(sample: Shell) -> None:
    assert "-> write  if outcome=fail, goes back" in sample("graph", "pipeline.dot").out
    text = sample("graph", "pipeline.dot", "--format", "dot").out
    sample.write("again.dot", text)
    assert sample("graph", "again.dot", "--format", "dot").out == text
    assert sample("graph", "pipeline.dot", "-o", "out.dot").out == "wrote out.dot\n"
    assert (sample.folder / "out.dot").read_text() == text


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graph_as_svg(sample: Shell) -> None:
    assert sample("graph", "pipeline.dot", "-o", "out.svg").code == 0
    assert "<svg" in (sample.folder / "out.svg").read_text()
    assert "<svg" in sample("graph", "pipeline.dot", "--format", "svg", "--json").data["text"]


def test_without_graphviz_svg_says_what_is_missing(sample: Shell) -> None:
    done = sample("graph", "pipeline.dot", "--format", "svg", PATH="")
    assert done.code == 1
    assert done.err.startswith("error: SVG needs `dot`, which is not on PATH\n  hint: ")
