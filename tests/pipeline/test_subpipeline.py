"""Pipelines inside a pipeline: what the stages of an item are called, and what a name means."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from custody.model.graph import Pipeline
from custody.pipeline.subpipeline import (
    all_nodes,
    could_be_item_of,
    instance,
    item_prefix,
    located,
    whole,
)

Good = Callable[[str], Pipeline]


@pytest.fixture
def nested(good: Good) -> Pipeline:
    """Return a pipeline with a part that has a part itself."""
    inner = good("deep [prompt=x] start -> deep -> done")
    middle = good("draft [prompt=x] sub [prompt=x] start -> draft -> sub -> done")
    outer = good("tasks [prompt=x] start -> tasks -> done")
    middle = msgspec.structs.replace(middle, parts={"sub": inner})
    return msgspec.structs.replace(outer, parts={"tasks": middle})


def test_an_item_has_its_own_names(nested: Pipeline) -> None:
    part = nested.parts["tasks"]
    prefix = item_prefix("tasks", 2)
    own = instance(part, prefix)
    assert prefix == "tasks.2."
    assert set(own.nodes) == {f"tasks.2.{name}" for name in part.nodes}
    assert all(own.nodes[name].id == name for name in own.nodes)
    assert {(edge.source, edge.target) for edge in own.edges} == {
        (f"tasks.2.{edge.source}", f"tasks.2.{edge.target}") for edge in part.edges
    }
    assert set(own.parts) == {"tasks.2.sub"}


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("tasks", "tasks"),
        ("tasks.2.draft", "draft"),
        ("tasks.2.sub.13.deep", "deep"),
        ("tasks.0.draft", None),
        ("tasks.02.draft", None),
        ("tasks.2.", None),
        ("tasks.2.missing", None),
        ("tasks.2", None),
        ("other.2.draft", None),
        ("tasksx.2.draft", None),
    ],
)
def test_the_node_that_a_name_means(nested: Pipeline, name: str, node: str | None) -> None:
    found = located(nested, name)
    assert (found[1].id if found else None) == node
    assert found is None or found[0].nodes[found[1].id] is found[1]


@pytest.mark.parametrize(
    ("name", "owners"),
    [
        ("plain", []),
        ("a.1.b", ["a"]),
        ("a.1.2.b", ["a", "a.1"]),
        ("a.b.3.c.10.d", ["a.b", "a.b.3.c"]),
        ("a.0.b", []),
        ("a.1", []),
    ],
)
def test_the_nodes_of_which_a_name_could_be_an_items(name: str, owners: list[str]) -> None:
    assert could_be_item_of(name) == owners


def test_every_part_is_met_once(nested: Pipeline) -> None:
    twice = msgspec.structs.replace(
        nested, parts={**nested.parts, "again": nested.parts["tasks"], "itself": nested}
    )
    assert len(list(whole(twice))) == 4
    assert {node.id for node in all_nodes(nested)} == {
        "start", "done", "tasks", "draft", "sub", "deep",
    }  # fmt: skip
