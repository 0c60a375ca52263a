"""Tokens and cost, added up while the facts of a run come in."""

from __future__ import annotations

from custody.model.attempt_event import AttemptLost
from custody.model.event import AnyFact, RequestAnswered, StageStarted
from custody.model.process_event import PipelineReplaced
from custody.model.request import AgentRequest
from custody.model.usage import UsageTotal, usage_lost, usage_of


class UsageSums:
    """What agents told, by stage under way and in all."""

    def __init__(self) -> None:
        self.total = UsageTotal()
        """Of the whole run, work that a changed pipeline set aside included."""
        self._agents: set[str] = set()
        """Requests that agents are at work on."""
        self._stages: dict[str, UsageTotal] = {}

    def add(self, fact: AnyFact) -> None:
        """Take one more fact into account."""
        match fact:
            case StageStarted():
                if fact.attempt == 1:
                    self._stages.pop(fact.node, None)
                if isinstance(fact.request, AgentRequest):
                    self._agents.add(fact.request.id)
            case RequestAnswered() if fact.ack.request_id in self._agents:
                self._agents.discard(fact.ack.request_id)
                self._spend(fact.node, usage_of(fact.ack))
            case AttemptLost() if fact.request_id in self._agents:
                self._spend(fact.node, usage_lost(fact.spent))
            case PipelineReplaced():
                for spent in fact.discarded.values():
                    if spent.tokens or spent.cost_usd:
                        self.total = self.total.plus(usage_lost(spent))
            case _:
                return

    def taken(self, node: str) -> UsageTotal | None:
        """Return what a stage that has ended has cost; None when it asked no agent."""
        return self._stages.pop(node, None)

    def _spend(self, node: str, used: UsageTotal) -> None:
        self._stages[node] = self._stages.get(node, UsageTotal()).plus(used)
        self.total = self.total.plus(used)
