"""Values that fit a schema, values that do not, and schemas that are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.checks.json_schema import DEPTH_LIMIT, KEYWORDS, read_schema, violations
from custody.errors import MalformedDocument

TASKS = {
    "type": "object",
    "required": ["tasks"],
    "additionalProperties": False,
    "properties": {
        "tasks": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "uniqueItemProperties": ["id"],
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string", "pattern": "^[a-z]{1,5}$"}},
            },
        }
    },
}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def judged(value: Any, schema: dict[str, Any]) -> str:
    return violations(value, read_schema(json.dumps(schema)))


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"tasks": [{"id": "a"}, {"id": "b"}]}, TASKS),
        (1, {"type": "integer"}),
        (1, {"type": "number", "minimum": 1, "maximum": 1}),
        (1.5, {"type": "number"}),
        (None, {"type": "null"}),
        (True, {"type": "boolean"}),
        ("approved", {"enum": ["approved", "rework"]}),
        (7, {"pattern": "x", "minLength": 3, "required": ["a"], "minItems": 3}),
        ("anything", {"title": "t", "description": "d"}),
    ],
)
def test_a_value_fits(value: Any, schema: dict[str, Any]) -> None:
    assert judged(value, schema) == ""


@pytest.mark.parametrize(
    ("value", "schema", "why"),
    [
        ([], TASKS, "is not of type 'object'"),
        ({}, TASKS, "'tasks' is a required property"),
        ({"tasks": []}, TASKS, "should be non-empty"),
        ({"tasks": [{"id": c} for c in "abcd"]}, TASKS, "is too long"),
        ({"tasks": [{"id": "a"}, {"id": "a"}]}, TASKS, "two items have the same id"),
        ({"tasks": [{"id": "../x"}]}, TASKS, "the value.tasks[0].id: "),
        ({"tasks": [{"id": "a\n"}]}, TASKS, "does not match"),
        ({"tasks": [{}]}, TASKS, "'id' is a required property"),
        ({"tasks": [{"id": "a"}], "more": 1}, TASKS, "'more' was unexpected"),
        (True, {"type": "integer"}, "is not of type 'integer'"),
        (True, {"enum": [1]}, "is not one of"),
        (1.5, {"type": "integer"}, "is not of type"),
        ("not approved", {"enum": ["approved"]}, "is not one of"),
        ("abc", {"maxLength": 2}, "is too long"),
        (0, {"minimum": 1}, "is less than the minimum of 1"),
    ],
)
def test_a_value_does_not_fit(value: Any, schema: dict[str, Any], why: str) -> None:
    assert why in judged(value, schema)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{", '{"a": 1}', '{"type": "thing"}'),
        *('{"enum": 1}', '{"pattern": "("}', '{"items": []}', '{"properties": []}'),
        *('{"properties": {"a": {"oneOf": []}}}', '{"items": {"x": 1}}', '{"minItems": true}'),
        *(
            '{"required": [1]}',
            '{"type": "null", "type": "null"}',
            '{"const": ' + "[" * 20 + "]" * 20 + "}",
            '{"items":' * 20 + "{}" + "}" * 20,
        ),
    ],
)
def test_no_schema(text: str) -> None:
    with pytest.raises(MalformedDocument):
        read_schema(text)


@given(ANYTHING)
def test_any_value_is_judged(value: Any) -> None:
    assert isinstance(judged(value, TASKS), str)


@pytest.mark.req("G-15")
def test_a_schema_is_read_in_a_time_by_its_length() -> None:
    """One that lies as deep as it may took minutes when unknown keywords were found by rules."""
    schema: dict[str, Any] = {"type": "string"}
    while depth(schema) < DEPTH_LIMIT:
        schema = {"items": schema}
    assert violations("x", read_schema(json.dumps(schema))) == ""


def depth(schema: dict[str, Any]) -> int:
    return 1 + depth(schema["items"]) if "items" in schema else 2


def test_the_keywords_are_those_of_the_standard() -> None:
    from jsonschema import Draft202012Validator
    from jsonschema_specifications import REGISTRY

    whole = Draft202012Validator.META_SCHEMA
    known = set(whole["properties"])
    for part in whole["allOf"]:
        uri = f"https://json-schema.org/draft/2020-12/{part['$ref']}"
        known |= set(REGISTRY.contents(uri)["properties"])
    assert known | {"uniqueItemProperties"} == KEYWORDS


@pytest.mark.parametrize(
    "text",
    [
        '{"items": {"minimun": 1}}',
        '{"properties": {"a": {"allOf": [{"x": 1}]}}}',
        '{"uniqueItemProperties": "id"}',
        '{"$defs": {"a": {"not": {"x": 1}}}}',
    ],
)
def test_a_keyword_that_nobody_checks_is_refused_however_deep(text: str) -> None:
    with pytest.raises(MalformedDocument, match=r"is no keyword|must be a list of names"):
        read_schema(text)
