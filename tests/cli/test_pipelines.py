"""Commands that look at a pipeline, and the one that writes the first."""

from __future__ import annotations

import shutil

import pytest

from support.shell import Shell

WRONG = "digraph wrong {\n  start [shape=Mdiamond]\n  a [shape=hexagon]\n  start -> b\n}\n"
ODD = """digraph odd {
  start [shape=Mdiamond, promt="x"]
  done [shape=Msquare]
  start -> done
}
"""


def test_init_writes_a_pipeline_that_runs(custody: Shell) -> None:
    done = custody("init", "new folder")
    assert done.code == 0
    assert done.out.splitlines() == [
        "wrote new folder/pipeline.dot",
        "wrote new folder/answers.json",
        "wrote new folder/custody.toml",
        "next: cd 'new folder' && custody run pipeline.dot",
    ]
    inside = Shell(custody.folder / "new folder")
    assert inside("check", "pipeline.dot").out == "1 pipeline: 0 errors, 0 warnings\n"
    assert inside("run", "pipeline.dot").code == 0


def test_init_overwrites_nothing(custody: Shell) -> None:
    custody.write("custody.toml", "")
    done = custody("init")
    assert done.code == 1
    assert done.err.startswith("error: custody.toml exists\n")
    assert [path.name for path in custody.folder.iterdir()] == ["custody.toml"]


@pytest.mark.req("P-02")
def test_check_lists_every_finding_of_every_file(custody: Shell) -> None:
    custody.write("wrong.dot", WRONG)
    custody.write("odd.dot", ODD)
    done = custody("check", "wrong.dot", "missing.dot", "odd.dot")
    assert done.code == 1
    assert any(line.startswith("wrong.dot:3:") for line in done.out.splitlines())
    assert any(line.startswith("wrong.dot:4:") for line in done.out.splitlines())
    assert "missing.dot:0:0 unreadable " in done.out
    assert "odd.dot:2:" in done.out
    data = custody("check", "wrong.dot", "odd.dot", "--json").data
    assert [file["file"] for file in data["files"]] == ["wrong.dot", "odd.dot"]
    assert data["errors"] >= 2
    assert data["warnings"] == 1


def test_warnings_alone_are_no_failure(custody: Shell) -> None:
    custody.write("odd.dot", ODD)
    done = custody("check", "odd.dot")
    assert done.code == 0
    assert "warning: " in done.out


def test_plan_says_what_would_run(sample: Shell) -> None:
    page = sample("plan", "pipeline.dot").out
    assert "tool_command: grep -q hello greeting.txt" in page
    assert "may write: greeting.txt" in page
    assert "then: write if outcome=fail, going back" in page
    stages = sample("plan", "pipeline.dot", "--json").data["stages"]
    assert [stage["id"] for stage in stages] == ["start", "write", "check", "done"]


@pytest.mark.parametrize("name", ["plan", "graph", "run"])
def test_a_wrong_pipeline_is_refused(custody: Shell, name: str) -> None:
    custody.write("wrong.dot", WRONG)
    done = custody(name, "wrong.dot", "--json")
    assert (done.code, done.data["error_type"]) == (1, "PIPELINE_INVALID")


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


def test_schema_lists_and_prints(custody: Shell) -> None:
    names = custody("schema").out.split()
    assert {"manifest", "event", "event.StageFailed"} <= set(names)
    assert custody("schema", "--json").data == names
    schema = custody("schema", "manifest")
    assert schema.data["$ref"] == "#/$defs/Manifest"
    assert custody("schema", "manifest", "--json").data == schema.data
