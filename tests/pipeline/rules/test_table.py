"""The attributes that a type knows: its own, open ones, and those of families."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.graph import Catalog, Pipeline
from custody.pipeline.rules.table import Table
from custody.pipeline.vocabulary import GRAPH_ATTRIBUTES

Good = Callable[[str], Pipeline]


@pytest.mark.parametrize(
    ("kind", "name", "rule"),
    [
        ("codergen", "prompt", "prompt"),
        ("codergen", "timeout", "timeout"),
        ("codergen", "test.anything", "test.*"),
        ("codergen", "cat.mood", "cat.mood"),
        ("codergen", "cat.unknown", None),
        ("codergen", "bird.mood", None),
        ("codergen", "tool_command", None),
        ("codergen", "verification.lives", None),
        ("tool", "tool_command", "tool_command"),
        ("tool", "cat.mood", None),
    ],
)
def test_whose_attribute_it_is(catalog: Catalog, kind: str, name: str, rule: str | None) -> None:
    """A word that some type's own attributes begin with is no family's."""
    found = Table.of_type(kind, catalog).rule(name)
    assert (found.name if found else None) == rule


def test_its_own_rules_come_without_asking_a_family(catalog: Catalog) -> None:
    table = Table.of_type("codergen", catalog)
    assert table.own_rule("cat.mood") is None
    assert table.own_rule("test.x") is not None


def test_what_may_have_been_meant(catalog: Catalog) -> None:
    names = Table.of_type("codergen", catalog).names("cat.moood")
    assert {"prompt", "timeout", "cat.mood", "cat.lives"} <= set(names)
    assert len(set(names)) == len(names)
    assert "dog.leash_length" not in names


def test_the_type_of_a_value_that_needs_no_further_look() -> None:
    plain = Table("the graph", GRAPH_ATTRIBUTES).plain
    assert plain["goal"] is str
    assert "max_steps" not in plain, "it has a range"


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ("t [type=tool, tool_command=x]", True),
        ("t [type=tool, tool_command=x, timeout=5s]", True),
        ("t [type=tool, tool_command=x, unknown=1]", True),
        ("t [type=tool, tool_command=x, ratio_of_x=word]", False),
        ("t [type=tool]", False),
    ],
)
def test_whether_a_node_can_be_judged_further(
    catalog: Catalog, built: Good, body: str, fits: bool
) -> None:
    assert Table.of_type("tool", catalog).fits(built(body).nodes["t"]) is fits
