"""Reading what an agent must hand over as data: the JSON block of its response."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from custody.checks.gates.json_schema import read_schema, violations
from custody.errors import MalformedDocument
from custody.model.record import decode
from custody.model.request import Ack

RESPONSE = "response.md"
_BLOCK = re.compile(r"^```json[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def json_block(text: str) -> Any:
    """Return the value of the only fenced ``json`` block; raises `MalformedDocument`."""
    blocks = _BLOCK.findall(text)
    if len(blocks) != 1:
        raise MalformedDocument(
            "json_block",
            f"expected one fenced json block, found {len(blocks)}",
            where=RESPONSE,
        )
    return decode(blocks[0].encode(), object, where=RESPONSE)


def with_json_block(ack: Ack, key: str, schema: str = "") -> Ack:
    """Return the ack with the response's JSON under ``key``.

    It is a failed one when the response holds none, or one that does not fit the schema.
    """
    response = next((e for e in ack.evidence if e.path.endswith("/response.md")), None)
    try:
        value = json_block("" if response is None else response.text or "")
        _refuse_unfit(value, schema)
    except MalformedDocument as error:
        return msgspec.structs.replace(ack, status="failed", failure_reason=str(error))
    return msgspec.structs.replace(ack, context_updates={**ack.context_updates, key: value})


def _refuse_unfit(value: object, schema: str) -> None:
    if schema and (wrong := violations(value, read_schema(schema))):
        raise MalformedDocument(
            "response_schema", f"the json block does not fit: {wrong}", where=RESPONSE
        )
