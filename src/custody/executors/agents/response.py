"""Reading what an agent must hand over as data: the JSON block of its response."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from custody.errors import MalformedDocument
from custody.model.record import decode
from custody.model.request import Ack

_BLOCK = re.compile(r"^```json[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def json_block(text: str) -> Any:
    """Return the value of the only fenced ``json`` block; raises `MalformedDocument`."""
    blocks = _BLOCK.findall(text)
    if len(blocks) != 1:
        raise MalformedDocument(
            "json_block",
            f"expected one fenced json block, found {len(blocks)}",
            where="response.md",
        )
    return decode(blocks[0].encode(), object, where="response.md")


def with_json_block(ack: Ack, key: str) -> Ack:
    """Return the ack with the response's JSON under ``key``, or a failed one when it has none."""
    response = next((e for e in ack.evidence if e.path.endswith("/response.md")), None)
    try:
        value = json_block("" if response is None else response.text or "")
    except MalformedDocument as error:
        return msgspec.structs.replace(ack, status="failed", failure_reason=str(error))
    return msgspec.structs.replace(ack, context_updates={**ack.context_updates, key: value})
