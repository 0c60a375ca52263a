"""Which type a node has, and which types there are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.finding import Finding
from custody.model.graph import Pipeline
from custody.pipeline.vocabulary import LATER_SHAPES, TYPES

Good = Callable[[str], Pipeline]
Read = Callable[[str], tuple[Pipeline | None, tuple[Finding, ...]]]

BODY = "digraph g {{ start [shape=Mdiamond]; done [shape=Msquare]\n{}; start -> a -> done\n}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "codergen"),
        ("a [shape=box]", "codergen"),
        ("a [type=verification]", "verification"),
        ("a [type=verification, shape=ellipse]", "verification"),
        ("a [type=verification, shape=box]", "verification"),
        ("a [shape=parallelogram, tool_command=x]", "tool"),
        ("node [type=verification]; a", "verification"),
        ("node [type=verification]; a [shape=box]", "codergen"),
        ("node [type=verification]; a [shape=ellipse]", "verification"),
        ("node [shape=box]; a [type=verification]", "verification"),
        ("node [shape=parallelogram, tool_command=x]; a", "tool"),
    ],
)
def test_own_before_inherited_and_type_before_shape(text: str, expected: str, good: Good) -> None:
    assert good(f"{text}; start -> a -> done").nodes["a"].type == expected


@pytest.mark.req("P-01")
@pytest.mark.parametrize(("shape", "name"), LATER_SHAPES.items())
def test_shapes_and_types_of_later_versions_are_refused_by_name(
    shape: str, name: str, read: Read
) -> None:
    for text in (f"a [shape={shape}]", f"a [shape={shape}, type=codergen]", f'a [type="{name}"]'):
        pipeline, findings = read(BODY.format(text))
        assert pipeline is None
        (finding,) = findings
        assert (finding.code, finding.line) == ("unsupported", 2)
        assert name in finding.message
        assert "later version" in finding.message


@pytest.mark.req("P-01")
@pytest.mark.parametrize(
    "name", sorted(TYPES - {"start", "exit", "codergen", "tool", "verification"})
)
def test_types_of_the_language_that_the_catalog_lacks_are_named(name: str, read: Read) -> None:
    _, (finding,) = read(BODY.format(f"a [type={name}]"))
    assert (finding.code, finding.column) == ("unsupported", 9)
    assert finding.message == f"type {name} is not supported yet"


@pytest.mark.req("P-01")
def test_an_unknown_type_is_refused_with_the_nearest_one(read: Read) -> None:
    _, (finding,) = read(BODY.format("a [type=verifcation]"))
    assert finding.code == "unsupported"
    assert finding.message == "no node type is called 'verifcation'"
    assert finding.hint == "did you mean 'verification'?"
    _, (finding,) = read(BODY.format("a [type=banana]"))
    assert finding.hint == "known: start, exit, codergen, tool, verification"


def test_a_shape_that_stands_for_nothing_needs_a_type(read: Read) -> None:
    _, (finding,) = read(BODY.format("a [shape=parallelgram]"))
    assert (finding.code, finding.column) == ("unsupported", 10)
    assert finding.hint == "did you mean 'parallelogram'?"


def test_a_shape_that_stands_for_another_type_is_odd(read: Read) -> None:
    pipeline, findings = read(BODY.format("a [type=verification, shape=Msquare]"))
    assert pipeline is not None
    assert [(finding.code, finding.severity) for finding in findings] == [("shape", "warning")]
