"""Which requests are carried out at the same time, and that they are."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from custody.checks.guards.secrets import Redactor
from custody.engine.ask import Asked
from custody.engine.concurrency import Work, carry_out, side_by_side
from custody.engine.interruption import Interruption
from custody.engine.redaction import Redaction
from custody.model.evidence import Evidence
from custody.model.graph import Node, SourcePosition
from custody.model.request import Ack, AgentRequest, WriteRequest

NODE = Node(id="n", type="agent_task", attributes={}, position=SourcePosition(line=1, column=1))


def asking(name: str, agent: str = "fake", path: str = "docs/a.md") -> Asked:
    request = AgentRequest(
        id=f"{name}/1.1",
        timeout=60,
        agent=agent,
        prompt=Evidence.of_text("p", ""),
        call=1,
        output_path=path,
    )
    return Asked(NODE, request)


def writing(name: str) -> Asked:
    document = Evidence.of_text("docs/b.md", "x")
    return Asked(NODE, WriteRequest(id=f"{name}/1.1", timeout=60, document=document))


def work(asked: Asked) -> Work:
    return Work(asked, cast(Any, None), cast(Any, None), Redaction(Redactor({})))


@pytest.mark.parametrize("alone", [asking("b", "codex"), asking("b", path=""), writing("b")])
def test_what_may_change_the_workspace_has_it_to_itself(alone: Asked) -> None:
    first, last = asking("a"), asking("c", "stub")
    assert side_by_side(first, [alone, last]) == [first, last]
    assert side_by_side(alone, [first, last]) == [alone]


def test_people_are_asked_one_after_the_other() -> None:
    person = asking("a", "outbox")
    assert side_by_side(person, [asking("b", "outbox")]) == [person]


def test_requests_meet_while_they_are_carried_out() -> None:
    works = [work(asking(name)) for name in "abc"]
    meeting = threading.Barrier(len(works), timeout=60)

    def execute(one: Work) -> Ack:
        meeting.wait()
        if one.request.id == "b/1.1":
            raise ValueError("b")
        return Ack(request_id=one.request.id, status="ok")

    ended: list[Work] = []
    carry_out(works, execute, Interruption(), ended.append)
    assert {each.request.id for each in ended} == {each.request.id for each in works}
    assert [each.ack.request_id for each in works if each.ack] == ["a/1.1", "c/1.1"]
    with pytest.raises(ValueError, match="b"):
        works[1].answer()
