"""Whether an agent handed over the data it was asked for: one JSON block in its response."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Self

from custody.checks.gates import Case, Gate
from custody.errors import MalformedDocument
from custody.model import layout
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node
from custody.model.record import decode
from custody.model.verdict import Verdict
from custody.patterns import later

CONTEXT = AttributeRule(
    name="response_context",
    kind="string",
    doc="Context key that takes the JSON block which the response must hold.",
)
SCHEMA = AttributeRule(
    name="response_schema",
    kind="string",
    doc="JSON Schema that the block must fit; a response that does not fit is a failure.",
)
OFFERED = "verification_plan"
"""Where an agent's JSON object may have a plan that nobody asked for."""
_BLOCK = later(r"^```json[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def check_schema(node: Node) -> Iterator[Finding]:
    """Find a schema that cannot be read."""
    schema = node.attributes.get(SCHEMA.name)
    if schema is None:
        return
    from custody.checks.json_schema import read_schema

    try:
        read_schema(str(schema.value))
    except MalformedDocument as malformed:
        yield schema.finding("attribute", f"{SCHEMA.name}: {malformed.what}")


def json_block(text: str) -> Any:
    """Return the value of the only fenced ``json`` block; raises `MalformedDocument`."""
    blocks = _BLOCK.findall(text)
    if len(blocks) != 1:
        raise MalformedDocument(
            "json_block",
            f"expected one fenced json block, found {len(blocks)}",
            where=layout.RESPONSE,
        )
    return decode(blocks[0].encode(), object, where=layout.RESPONSE)


def offered_plan(text: str) -> dict[str, Any] | None:
    """Return the plan that a response offers unasked: ``verification_plan`` of its JSON object.

    The object is the only fenced ``json`` block, or the whole response.
    """
    if f'"{OFFERED}"' not in text:
        return None
    try:
        value = json_block(text) if _BLOCK.search(text) else _whole(text)
    except MalformedDocument:
        return None  # nobody asked for it, so nothing is wrong with having none
    plan = value.get(OFFERED) if isinstance(value, dict) else None
    return plan if isinstance(plan, dict) else None


def _whole(text: str) -> Any:
    return decode(text.strip().encode(), object, where=layout.RESPONSE)


def check_response(text: str, schema: str = "") -> None:
    """Raise `MalformedDocument` when a response lacks its JSON block, or that does not fit."""
    value = json_block(text)
    if not schema:
        return
    from custody.checks.json_schema import read_schema, violations

    if wrong := violations(value, read_schema(schema)):
        raise MalformedDocument(
            "response_schema", f"the json block does not fit: {wrong}", where=layout.RESPONSE
        )


class ResponseGate(Gate):
    """Judges the JSON block of ``response.md``."""

    name = "response"
    doc = "The response holds one JSON block, and it fits `response_schema`."
    attributes = (SCHEMA,)

    def __init__(self, schema: str = "") -> None:
        self._schema = schema

    @classmethod
    def of(cls, node: Node) -> Self:
        """Take the schema from the node; without one, any JSON will do."""
        return cls(node.text(SCHEMA.name))

    def applies(self, case: Case) -> bool:
        """Judge only what an agent calls a success: one that gives up owes no data."""
        return case.ack.status == "ok"

    def judge(self, case: Case) -> Iterator[Verdict]:
        """Find a block that is missing, is no JSON, or does not fit."""
        try:
            check_response(case.text(layout.RESPONSE), self._schema)
        except MalformedDocument as error:
            yield self.wrong(error.code, str(error), layout.RESPONSE)
