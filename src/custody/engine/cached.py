"""Which part of a run has filled the base of its caches."""

from __future__ import annotations

from custody.model.event import StageStarted
from custody.model.request import AgentRequest
from custody.store.history import History


def cached_by(history: History, seq: int) -> bool:
    """Whether all that lies in the base was cached by stages up to a line.

    What an agent, or whoever came after one, has cached is not there.
    """
    for line, fact in history.lines():
        if isinstance(fact, StageStarted) and fact.request is not None:
            if isinstance(fact.request, AgentRequest):
                return True
            if line.seq > seq:
                return False
    return True
