"""The names of the language fit together."""

from __future__ import annotations

from custody.handlers import catalog
from custody.pipeline.vocabulary import (
    COSMETICS,
    DEFAULT_SHAPE,
    DEFAULT_TYPE,
    EDGE_ATTRIBUTES,
    GRAPH_ATTRIBUTES,
    LATER_SHAPES,
    LATER_TYPES,
    NODE_ATTRIBUTES,
    RANGES,
    SHAPES,
    TYPES,
)

ALL = (*NODE_ATTRIBUTES, *EDGE_ATTRIBUTES, *GRAPH_ATTRIBUTES)


def test_a_range_is_that_of_a_number() -> None:
    kinds = {rule.name: rule.kind for rule in ALL}
    for name, (least, most) in RANGES.items():
        assert kinds[name] in {"integer", "float", "duration", "size"}
        assert least < most


def test_what_a_run_looks_at_is_no_cosmetics() -> None:
    assert {rule.name for rule in ALL} & COSMETICS == set()
    of_types = {rule.name for kind in catalog().values() for rule in kind.attributes}
    assert of_types & COSMETICS == set()


def test_no_owner_has_an_attribute_twice() -> None:
    for group in (NODE_ATTRIBUTES, EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES):
        names = [rule.name for rule in group]
        assert len(set(names)) == len(names)


def test_every_attribute_says_what_it_is_for() -> None:
    assert [rule.name for rule in ALL if not rule.doc.endswith(".")] == []


def test_the_catalog_has_types_of_the_language_only() -> None:
    assert catalog().keys() <= TYPES
    assert DEFAULT_TYPE in catalog()


def test_a_shape_stands_for_one_type() -> None:
    shapes = [kind.shape for kind in catalog().values() if kind.shape]
    assert {kind.shape: name for name, kind in catalog().items() if kind.shape} == SHAPES
    assert len(set(shapes)) == len(shapes)
    assert LATER_SHAPES.keys().isdisjoint(shapes)
    assert LATER_TYPES.isdisjoint(TYPES)
    assert catalog()[DEFAULT_TYPE].shape == DEFAULT_SHAPE
