"""What an agent must hand over as data, said in JSON Schema (2020-12).

Two things are stricter than the standard. A keyword that it does not know is refused: a rule that
nobody checks must not look like one. And a last ``$`` of a pattern means the end of the text, not
a line feed before it. One keyword is added: ``uniqueItemProperties`` names fields that differ from
item to item of an array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Protocol

from custody.errors import MalformedDocument
from custody.model.record import decode, encode

SHOWN_VIOLATIONS = 5
SHOWN_LENGTH = 200
"""Characters of a violation that are shown."""
DEPTH_LIMIT = 16
_ONE = {
    "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip
"""Keywords that hold a schema."""
_SEVERAL = {"allOf", "anyOf", "oneOf", "prefixItems"}
"""Those that hold a list of schemas."""
_NAMED = {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"}
_NAMED |= {"properties"}
"""Those that hold schemas by name."""
_OWN = "uniqueItemProperties"
KEYWORDS = _ONE | _SEVERAL | _NAMED | {
    _OWN, "$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor",
    "$recursiveRef", "$ref", "$schema", "$vocabulary", "const", "contentEncoding",
    "contentMediaType", "default", "dependentRequired", "deprecated", "description", "enum",
    "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "maxContains", "maxItems",
    "maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "pattern", "readOnly", "required", "title", "type",
    "uniqueItems", "writeOnly",
}  # fmt: skip
"""What the standard knows, and the one keyword beside it."""


class Schema(Protocol):
    """A schema that has been read."""

    def iter_errors(self, instance: Any) -> Iterator[Any]:
        """Yield everything that is wrong with a value."""
        ...


@lru_cache(maxsize=256)
def read_schema(text: str) -> Schema:
    """Read a schema; raises `MalformedDocument` when it is none."""
    schema = decode(text.encode(), dict, where="response_schema")
    if _depth(schema) > DEPTH_LIMIT:
        raise MalformedDocument("response_schema", "it lies too deep", where="response_schema")
    if fault := _unknown(schema) or _told(_standard().iter_errors(schema), "the schema"):
        raise MalformedDocument("response_schema", fault, where="response_schema")
    read: Schema = _judge()(schema)
    return read


def violations(value: object, schema: Schema) -> str:
    """Return what is wrong with a value, the first few of it; empty when nothing is."""
    return _told(schema.iter_errors(value), "the value")


@cache
def _standard() -> Any:
    """Return what judges schemas by the standard alone, which takes time by their length."""
    from jsonschema import Draft202012Validator

    judge = Draft202012Validator
    return judge(judge.META_SCHEMA, format_checker=judge.FORMAT_CHECKER)


def _unknown(schema: dict[str, Any]) -> str:
    """Return which keyword of a schema, or of one inside it, nobody would check; or nothing."""
    waiting: list[Any] = [schema]
    while waiting:
        here = waiting.pop()
        if not isinstance(here, dict):
            continue
        for keyword, value in here.items():
            if keyword not in KEYWORDS:
                return f"the schema: {_short(repr(keyword))} is no keyword"
            if keyword == _OWN and not _are_names(value):
                return f"the schema: {_OWN} must be a list of names"
            waiting += _schemas_of(keyword, value)
    return ""


def _schemas_of(keyword: str, value: Any) -> list[Any]:
    if keyword in _ONE:
        return [value]
    if keyword in _SEVERAL and isinstance(value, list):
        return value
    return [*value.values()] if keyword in _NAMED and isinstance(value, dict) else []


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


@cache
def _judge() -> Any:
    from jsonschema import Draft202012Validator, validators

    extend: Any = validators.extend
    return extend(Draft202012Validator, {"pattern": _pattern, "uniqueItemProperties": _differ})


def _told(errors: Iterator[Any], whole: str) -> str:
    shown = islice(sorted(errors, key=lambda error: error.json_path), SHOWN_VIOLATIONS)
    return "; ".join(f"{whole}{error.json_path[1:]}: {_short(error.message)}" for error in shown)


def _pattern(_judge: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and not _compiled(pattern).search(value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    last = pattern.endswith("$") and not pattern.endswith("\\$")
    return re.compile(pattern[:-1] + r"\Z" if last else pattern)


def _differ(_judge: Any, fields: list[str], value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    for field in fields:
        told = [encode(item[field]) for item in items if field in item]
        if len(set(told)) < len(told):
            yield ValidationError(f"two items have the same {field}")


def _depth(document: Any) -> int:
    """Return how deep a document lies; it has been decoded, so it is not endless."""
    deep, waiting = 0, [(document, 1)]
    while waiting:
        value, here = waiting.pop()
        deep = max(deep, here)
        if isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            waiting += [(item, here + 1) for item in inner]
    return deep


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_LENGTH else f"{text[:SHOWN_LENGTH]}…"
