"""The facts about what a person is asked: none of them is a decision of the engine."""

from __future__ import annotations

from typing import ClassVar

from custody.model.evidence import Evidence
from custody.model.fact import Fact, Traits


class QuestionAsked(Fact, frozen=True):
    """A person is asked; the question is sealed before it can be read."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        decision=False,
        since="1.2",
    )
    node: str
    request_id: str
    question: Evidence
    answer: str
    """The file that must be written, once, relative to the run directory."""

    def evidence(self) -> tuple[Evidence, ...]:
        """Return the question."""
        return (self.question,)


class AnswerRefused(Fact, frozen=True):
    """What was found in the place of an answer is none; it was set aside, and the run waits on."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=True,
        level="warning",
        decision=False,
        since="1.2",
    )
    node: str
    request_id: str
    path: str
    """Where it is now, relative to the run directory."""
    reason: str
