"""What is told of attempts without being a decision."""

from __future__ import annotations

from custody.model.attempt_event import AnswerArrived, AttemptLost
from custody.model.event import FACTS
from custody.model.evidence import Evidence
from custody.model.journal_version import VERSIONS
from custody.model.request import Ack


def test_an_answer_before_its_turn_names_what_it_left() -> None:
    response = Evidence.of_text("nodes/a/1.1/response.md", "x")
    ack = Ack(request_id="a/1.1", status="ok", evidence=(response,))
    assert AnswerArrived(node="a", ack=ack).evidence() == (response,)


def test_no_replay_comes_to_them_and_no_older_journal_holds_them() -> None:
    assert FACTS.keys() >= {"AnswerArrived", "AttemptLost"}
    for kind in (AnswerArrived, AttemptLost):
        assert not kind.traits.decision
        known = [number for number, one in VERSIONS.items() if one.knows(kind.traits.since)]
        assert known == ["1.2", "1.3", "1.4", "1.5"]
