"""Every rule is asked, and of a half-read text only those that hold all the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from custody.model.graph import Catalog, Pipeline
from custody.pipeline import rules
from custody.pipeline.rules import (
    LOCAL,
    RULES,
    WHOLE,
    attributes,
    content,
    judge,
    outputs,
    structure,
    traps,
)

Good = Callable[[str], Pipeline]


@pytest.mark.parametrize("module", [attributes, content, outputs, structure, traps])
def test_no_rule_is_forgotten(module: object) -> None:
    """A rule takes a pipeline and a catalog, and is public."""
    found = [
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__  # type: ignore[attr-defined]
        and not name.startswith("_")
        and [*inspect.signature(function).parameters][:1] == ["pipeline"]
    ]
    assert found
    assert set(found) <= set(RULES)


def test_each_rule_is_in_one_list_and_in_the_docstring() -> None:
    assert set(LOCAL).isdisjoint(WHOLE)
    assert len(RULES) == len(set(RULES))
    doc = rules.__doc__ or ""
    assert [rule.__name__ for rule in RULES if rule.__name__ not in doc] == []


def test_a_half_read_text_is_not_asked_for_what_may_be_missing(
    built: Good, catalog: Catalog
) -> None:
    pipeline = built("lonely [prompt=x, timeout=word] start -> done")
    complete = {finding.code for finding in judge(pipeline, catalog)}
    half = {finding.code for finding in judge(pipeline, catalog, complete=False)}
    assert half < complete
    assert "unreachable" in complete - half
