"""The facts about attempts that are no decisions: answers before their turn, work that was lost.

What is decided from an answer follows when its turn has come, as `RequestAnswered`. Until then
these facts see to it that nothing which came is asked for again, and nothing spent is forgotten.
"""

from __future__ import annotations

from typing import ClassVar

from custody.model.evidence import Evidence
from custody.model.fact import Fact, Traits
from custody.model.request import Ack, Spent


class AnswerArrived(Fact, frozen=True):
    """An answer is here before its turn: `RequestAnswered` takes it up when that has come."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=False,
        traced_as=None,
        shown_live=False,
        decision=False,
        since="1.2",
    )
    node: str
    ack: Ack

    def evidence(self) -> tuple[Evidence, ...]:
        """Return what the attempt has left by now."""
        return self.ack.evidence


class AttemptLost(Fact, frozen=True):
    """An attempt was broken off, and its request is carried out again; what it cost is spent."""

    traits: ClassVar[Traits] = Traits(
        about="attempt",
        changes_state=True,
        traced_as=None,
        shown_live=False,
        level="warning",
        decision=False,
        since="1.2",
    )
    node: str
    request_id: str
    spent: Spent
