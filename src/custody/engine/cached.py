"""Which part of a run has filled the base of its caches."""

from __future__ import annotations

from custody.model.event import AnyFact, StageStarted
from custody.model.request import AgentRequest
from custody.store.history import History


def asks_agent(fact: AnyFact) -> bool:
    """Whether an agent is asked: what is cached from then on is not kept."""
    return isinstance(fact, StageStarted) and isinstance(fact.request, AgentRequest)


def cached_by(history: History, seq: int) -> bool:
    """Whether all that lies in the base was cached by stages up to a line before any agent's.

    It was if an agent is the next to be asked for something, or nobody is.
    """
    for _, fact in history.lines(seq + 1):
        if isinstance(fact, StageStarted) and fact.request is not None:
            return asks_agent(fact)
    return True
