"""What is told of letters to a person."""

from __future__ import annotations

from custody.model.evidence import Evidence
from custody.model.letter_event import AnswerRefused, QuestionAsked


def test_a_question_is_evidence() -> None:
    question = Evidence.of_text("outbox/001_a_answer.md", "?")
    asked = QuestionAsked(node="a", request_id="a/1.1", question=question, answer="inbox/a")
    assert asked.evidence() == (question,)


def test_who_watches_is_told_of_a_refusal() -> None:
    assert AnswerRefused.traits.shown_live
    assert not AnswerRefused.traits.decision
