"""What can be an answer of a person, and what cannot."""

from __future__ import annotations

import pytest

from custody.executors.answer_check import fault_of
from custody.model.evidence import Evidence
from custody.model.request import AgentRequest
from custody.store.mailbox import FILE_LIMIT


def request(context: str = "", schema: str = "") -> AgentRequest:
    return AgentRequest(
        id="a/1.1",
        timeout=1,
        agent="outbox",
        prompt=Evidence.of_text("p", ""),
        call=1,
        response_context=context,
        response_schema=schema,
    )


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"Yes.", ""),
        ("Ça va.".encode(), ""),
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"ab\xff", "it is no UTF-8: byte 2"),
    ],
)
def test_text_is_enough_where_nothing_else_is_asked_for(data: bytes, fault: str) -> None:
    assert fault_of(data, request()) == fault


def test_there_is_a_limit_to_its_size() -> None:
    fault = f"it has {FILE_LIMIT + 1} bytes: {FILE_LIMIT} is most"
    assert fault_of(b"x" * FILE_LIMIT, request()) == ""
    assert fault_of(b"x" * (FILE_LIMIT + 1), request()) == fault


def test_a_block_must_be_there_and_fit() -> None:
    block = b'```json\n{"a": 1}\n```\n'
    assert fault_of(block, request("said")) == ""
    assert "found 0" in fault_of(b"Yes.", request("said"))
    assert "does not fit" in fault_of(block, request("said", '{"type": "array"}'))
