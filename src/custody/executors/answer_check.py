"""Whether what a person wrote can be an answer: asked when it is handed in, or found."""

from __future__ import annotations

from custody.checks.gates.response import check_response
from custody.errors import MalformedDocument
from custody.model.request import AgentRequest
from custody.store.mailbox import FILE_LIMIT


def fault_of(data: bytes, request: AgentRequest) -> str:
    """Return why it can be none; empty when it can."""
    if len(data) > FILE_LIMIT:
        return f"it has {len(data)} bytes: {FILE_LIMIT} is most"
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return f"it is no UTF-8: byte {error.start}"
    if not text.strip():
        return "it is empty"
    if not request.response_context:
        return ""
    try:
        check_response(text, request.response_schema)
    except MalformedDocument as malformed:
        return malformed.what
    return ""
