"""What is asked of the outside, what comes back, and what the journal keeps of both."""

from __future__ import annotations

import pytest

from custody.model.evidence import INLINE_LIMIT, Evidence
from custody.model.ingest import IngestLimits
from custody.model.request import (
    Ack,
    AgentRequest,
    AnyRequest,
    CommandLine,
    Spent,
    ToolRequest,
    Usage,
    VerificationRequest,
    WriteRequest,
    ingest_of,
)

LONG = Evidence.of_text("nodes/a/1.1/prompt.md", "x" * (INLINE_LIMIT + 1))
LINE = CommandLine(text="true", commands=())
LIMITS = IngestLimits()
AGENT = AgentRequest(
    id="a/1.1", timeout=1, agent="fake", prompt=LONG, call=1, ingest=LIMITS, output_path="docs/a"
)
TOOL = ToolRequest(id="a/1.1", timeout=1, line=LINE)
VERIFICATION = VerificationRequest(
    id="a/1.1", timeout=1, plan=LONG, required_files=("x",), lines=(LINE,)
)
WRITE = WriteRequest(id="a/1.1", timeout=1, document=LONG, ingest=LIMITS)


@pytest.mark.parametrize(
    ("request_", "given"),
    [(AGENT, (LONG,)), (TOOL, ()), (VERIFICATION, (LONG,)), (WRITE, ())],
    ids=["agent", "tool", "verification", "write"],
)
def test_what_the_folder_of_an_attempt_holds_beforehand(
    request_: AnyRequest, given: tuple[Evidence, ...]
) -> None:
    assert request_.given() == given


@pytest.mark.parametrize("request_", [AGENT, TOOL, VERIFICATION, WRITE])
def test_no_long_text_travels_in_the_journal(request_: AnyRequest) -> None:
    sealed = request_.sealed()
    assert sealed.sealed() == sealed
    assert b"xxxx" not in repr(sealed).encode()
    assert type(sealed) is type(request_)


def test_a_request_with_a_document_says_what_becomes_of_its_blocks() -> None:
    assert [ingest_of(one) for one in (AGENT, WRITE, TOOL, VERIFICATION)] == [
        LIMITS,
        LIMITS,
        None,
        None,
    ]


def test_what_some_requests_cost_together() -> None:
    one, other = Spent(cost_usd=0.5, tokens=10, seconds=1), Spent(cost_usd=0.25, seconds=2)
    assert one.plus(other) == Spent(cost_usd=0.75, tokens=10, seconds=3)
    assert one.plus(Spent()) == one


def test_what_an_ack_cost() -> None:
    usage = Usage(model="m", input_tokens=3, output_tokens=4, cost_usd=0.1)
    ack = Ack(request_id="a/1.1", status="ok", seconds=2, usage=usage)
    assert ack.spent() == Spent(cost_usd=0.1, tokens=7, seconds=2)
    assert Ack(request_id="a/1.1", status="ok").spent() == Spent()


def test_an_ack_is_kept_without_long_texts() -> None:
    short = Evidence.of_text("nodes/a/1.1/short", "x")
    sealed = Ack(request_id="a/1.1", status="ok", evidence=(LONG, short)).sealed()
    assert [one.text for one in sealed.evidence] == [None, "x"]
