"""Pictures of a pipeline, and the way back from DOT."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.model.finding import Finding
from custody.model.graph import Duration, Pipeline
from custody.pipeline.difference import changed_nodes
from custody.pipeline.picture import to_dot, to_text

Good = Callable[[str], Pipeline]
Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

LOOP = """
    goal="Make the tests pass"
    node [timeout=15m]
    plan [prompt="Plan $goal", label="Plan the
        work"]
    fix [prompt="Fix it \\"now\\" \\\\d"]
    verify [type=tool, tool_command="pytest -q", max_visits=5]
    give_up [type=exit, status=fail]
    start -> plan -> fix -> verify
    verify -> done [condition="outcome=success"]
    verify -> fix [condition="outcome=fail", weight=3]
    verify -> give_up
"""


def test_text_shows_layers_and_ways_in_order_of_preference(good: Good) -> None:
    assert to_text(good(LOOP)) == (
        "g: Make the tests pass\n"
        "\n"
        "  1  start    start\n"
        "       -> plan\n"
        "  2  plan     codergen  Plan the work\n"
        "       -> fix\n"
        "  3  fix      codergen\n"
        "       -> verify\n"
        "  4  verify   tool\n"
        "       -> fix      if outcome=fail, weight 3, goes back\n"
        "       -> done     if outcome=success\n"
        "       -> give_up  otherwise\n"
        "  5  done     exit\n"
        "  5  give_up  exit\n"
    )


def test_text_hides_nothing_and_lets_no_text_draw(good: Good) -> None:
    text = to_text(good('a [label="x\u202ey\u200b"]; goal="g\u2066"; start -> a -> done'))
    assert "x\\u202ey\\u200b" in text
    assert all(char == "\n" or char.isprintable() for char in text)


def test_dot_is_one_form_that_reads_as_the_same_pipeline(good: Good, read: Read) -> None:
    pipeline = good(LOOP)
    text = to_dot(pipeline)
    again, findings = read(text)
    assert again is not None
    assert findings == ()
    assert to_dot(again) == text
    assert changed_nodes(pipeline, again) == []


def test_dot_shows_types_and_conditions(good: Good) -> None:
    text = to_dot(
        good('a [type=tool, tool_command=x]; start -> a -> done; a -> a [condition="outcome=fail"]')
    )
    assert '"a" [shape="parallelogram", tool_command="x", type="tool"];' in text
    assert '"a" -> "a" [condition="outcome=fail", label="outcome=fail"];' in text


ids = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}", fullmatch=True)


@given(data=st.data())
def test_generated_pipelines_survive_writing_and_reading(
    data: st.DataObject, texts: st.SearchStrategy[str], read: Read
) -> None:
    names = data.draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    names = [f"n{name}"[:64] for name in names]
    prompts = data.draw(st.lists(texts, min_size=len(names), max_size=len(names)))
    extra = data.draw(
        st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=8)
    )
    timeout = data.draw(st.sampled_from(["15m", "250ms", "1.5h", "90", '"2h"', "0.5"]))
    lines = [f"node [timeout={timeout}]"]
    lines += [f"{quoted(name)} [prompt={quoted(text.replace('$', '$$'))}]"
              for name, text in zip(names, prompts, strict=True)]  # fmt: skip
    lines += [" -> ".join(["start", *map(quoted, names), "done"])]
    lines += [f'{quoted(a)} -> {quoted(b)} [condition="context.x={i}", weight={i}]'
              for i, (a, b) in enumerate(extra)]  # fmt: skip
    pipeline, findings = read(
        "digraph g { start [shape=Mdiamond]; done [shape=Msquare]\n" + "\n".join(lines) + "\n}"
    )
    assert pipeline is not None, findings
    again, findings = read(to_dot(pipeline))
    assert again is not None, findings
    assert to_dot(again) == to_dot(pipeline)
    assert changed_nodes(pipeline, again) == []
    for name, text in zip(names, prompts, strict=True):
        assert again.nodes[name].text("prompt") == text.replace("$", "$$")
        assert again.nodes[name].seconds("timeout", 0) == pipeline.nodes[name].seconds("timeout", 0)
    ways = [(edge.source, edge.target, edge.condition, edge.weight) for edge in pipeline.edges]
    assert [(edge.source, edge.target, edge.condition, edge.weight) for edge in again.edges] == ways
    assert to_text(again).split("\n")[2:] == to_text(pipeline).split("\n")[2:]


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@pytest.mark.parametrize("seconds", [0.25, 1.5, 90.0, 86400.0])
def test_a_duration_is_quoted_for_graphviz(seconds: float, good: Good) -> None:
    pipeline = good(f"start -> done; done [timeout={Duration(seconds=seconds)}]")
    assert f'timeout="{Duration(seconds=seconds)}"' in to_dot(pipeline)
