"""Facts, and the journal line that carries one."""

from __future__ import annotations

import msgspec
import pytest

from custody.model.event import (
    FACTS,
    GENESIS,
    JournalLine,
    PipelineCompleted,
    RequestAnswered,
    StageCompleted,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.outcome import Outcome
from custody.model.record import decode, encode
from custody.model.request import Ack, AgentRequest

PROMPT = Evidence.of_text("nodes/a/1.1/prompt.md", "x")
DIFF = Evidence.of_text("nodes/a/1.1/workspace.diff.json", "{}")


def line(event: str, data: bytes) -> JournalLine:
    return JournalLine(
        seq=0,
        ts="2026-01-31T10:15:00.000000Z",
        run_id="r1",
        level="info",
        role="engine",
        event=event,
        node="a",
        path="nodes/a/1.1",
        data=msgspec.Raw(data),
        prev=GENESIS,
    )


def test_a_line_gives_back_its_fact() -> None:
    fact = StageCompleted(node="a", visit=1, attempt=2, outcome=Outcome(status="success"))
    written = encode(line("StageCompleted", encode(fact)))
    read = decode(written, JournalLine, where="events.jsonl")
    assert read.fact() == fact
    assert encode(read) == written


def test_a_line_whose_data_does_not_fit_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        line("StageCompleted", b'{"node":"a"}').fact()
    with pytest.raises(KeyError):
        line("NoSuchEvent", b"{}").fact()


def test_every_kind_is_known_by_its_name() -> None:
    assert all(kind.__name__ == name for name, kind in FACTS.items())
    assert FACTS["PipelineCompleted"] is PipelineCompleted


def test_the_files_that_a_fact_names() -> None:
    request = AgentRequest(id="a/1.1", timeout=1, agent="fake", prompt=PROMPT, call=1)
    started = StageStarted(node="a", type="codergen", visit=1, attempt=1, request=request)
    assert started.evidence() == (PROMPT,)
    assert StageStarted(node="a", type="start", visit=1, attempt=1).evidence() == ()
    ack = Ack(request_id="a/1.1", status="ok", evidence=(PROMPT,))
    assert RequestAnswered(node="a", ack=ack, diff=DIFF).evidence() == (PROMPT, DIFF)
