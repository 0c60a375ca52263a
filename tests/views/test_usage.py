"""What agents told is added up, by stage and in all."""

from __future__ import annotations

import pytest

from custody.model.attempt_event import AttemptLost
from custody.model.event import RequestAnswered, StageStarted
from custody.model.evidence import Evidence
from custody.model.process_event import PipelineReplaced
from custody.model.request import Ack, AgentRequest, CommandLine, Spent, ToolRequest, Usage
from custody.views.usage import UsageSums

DIFF = Evidence.of_text("d", "")
USAGE = Usage(model="m", input_tokens=10, output_tokens=2, cost_usd=0.5)


def asked(node: str, attempt: int = 1) -> StageStarted:
    request = AgentRequest(
        id=f"{node}/1.{attempt}", timeout=1.0, agent="x", prompt=Evidence.of_text("p", ""), call=1
    )
    return StageStarted(node=node, type="codergen", visit=1, attempt=attempt, request=request)


def answered(node: str, attempt: int = 1, usage: Usage | None = USAGE) -> RequestAnswered:
    ack = Ack(request_id=f"{node}/1.{attempt}", status="ok", usage=usage)
    return RequestAnswered(node=node, ack=ack, diff=DIFF)


@pytest.mark.req("U-11")
def test_attempts_add_up_and_stages_too() -> None:
    sums = UsageSums()
    for fact in (asked("a"), answered("a"), asked("a", 2), answered("a", 2), asked("b")):
        sums.add(fact)
    sums.add(answered("b", usage=None))
    first, second = sums.taken("a"), sums.taken("b")
    assert first is not None
    assert second is not None
    assert (first.tokens, first.cost_usd, first.answers) == (24, 1.0, 2)
    assert (second.tokens, second.untold) == (None, 1)
    assert (sums.total.tokens, sums.total.answers, sums.total.unpriced) == (24, 3, 1)


def test_only_agents_count() -> None:
    sums = UsageSums()
    request = ToolRequest(id="t/1.1", timeout=1.0, line=CommandLine(text="true", commands=()))
    sums.add(StageStarted(node="t", type="tool", visit=1, attempt=1, request=request))
    sums.add(answered("t", usage=None))
    sums.add(AttemptLost(node="t", request_id="t/1.1", spent=Spent(seconds=1)))
    assert sums.taken("t") is None
    assert sums.total.answers == 0


def test_what_was_lost_or_set_aside_stays_spent() -> None:
    sums = UsageSums()
    sums.add(asked("a"))
    sums.add(AttemptLost(node="a", request_id="a/1.1", spent=Spent(tokens=5, cost_usd=0.1)))
    sums.add(answered("a"))
    spent = {"b": Spent(tokens=7), "tool": Spent(seconds=3)}
    sums.add(PipelineReplaced(old_sha256="", new_sha256="", kept_seq=0, reused=(), discarded=spent))
    assert (sums.total.tokens, sums.total.answers, sums.total.cost_usd) == (24, 3, 0.6)


def test_another_visit_begins_anew() -> None:
    sums = UsageSums()
    for fact in (asked("a"), answered("a"), asked("a")):
        sums.add(fact)
    assert sums.taken("a") is None
