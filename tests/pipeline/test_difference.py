"""What counts as a change between two pipelines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.graph import Pipeline
from custody.pipeline.difference import changed_nodes, same_node

Good = Callable[[str], Pipeline]

OLD = """
    goal="ship"; var.lang="py"; var.other="x"
    a [prompt="Do $goal", max_retries=1]
    b [prompt="In ${lang}", timeout=15m, color=red, label="B"]
    c [type=tool, tool_command="make"]
    start -> a -> b -> c -> done
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ("ship", "sail", ["the graph: goal 'ship' -> 'sail'"]),
        ("max_retries=1", "max_retries=2", ["a: max_retries '1' -> '2'"]),
        (", max_retries=1", "", ["a: max_retries removed"]),
        ("max_retries=1", "max_retries=1, max_visits=2", ["a: max_visits added"]),
        ("Do $goal", "Do $goal " + "well " * 10, ["a: prompt changed"]),
        ("type=tool, tool_command", "prompt",
         ["c: prompt added; tool_command removed; type 'tool' -> 'codergen'"]),
        ("c -> done", "c -> d -> done; d",
         ["c: edge to d added; edge to done removed", "d: added"]),
        ("start -> a -> b", "start -> b",
         ["a: removed", "start: edge to b added; edge to a removed"]),
        ("c -> done", "c; c -> done [weight=2]",
         ["c: edge to done, weight 2 added; edge to done removed"]),
        ("c -> done", 'c -> done; c -> c [condition="outcome=fail"]',
         ["c: edge to c if outcome=fail added"]),
        ("color=red", "color=blue", []),
        ('label="B"', 'label="Bee"', []),
        ("timeout=15m", 'timeout="15m"', []),
        ("max_retries=1", 'max_retries="1"', []),
        ("type=tool,", "shape=parallelogram,", []),
        ("goal=", "# a comment\n goal=", []),
    ],
)  # fmt: skip
def test_every_change_that_a_run_could_notice(
    old: str, new: str, expected: list[str], good: Good
) -> None:
    before = good(OLD)
    text = OLD.replace(old, new)
    if "a: removed" in expected:
        text = text.replace('a [prompt="Do $goal", max_retries=1]', "")
    assert [str(difference) for difference in changed_nodes(before, good(text))] == expected


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("max_retries=1", "max_retries=2", "a"),
        ("ship", "sail", "a"),
        ('lang="py"', 'lang="go"', "b"),
        ('other="x"', 'other="y"', ""),
        ('label="B"', 'label="Bee"', ""),
        ("c -> done", "c; c -> done [weight=2]", ""),
        ("make", "make all", "c"),
        ("var.other", "node [timeout=1h]; var.other", "a c"),
    ],
)
def test_a_node_is_the_same_when_its_content_and_inputs_are(
    old: str, new: str, changed: str, good: Good
) -> None:
    before, after = good(OLD), good(OLD.replace(old, new))
    assert [name for name in "abc" if not same_node(before, after, name)] == changed.split()


def test_a_node_that_is_gone_is_not_the_same(good: Good) -> None:
    before, after = good(OLD), good("start -> done")
    assert not same_node(before, after, "a")
    assert not same_node(after, before, "a")
    assert same_node(before, after, "start")
