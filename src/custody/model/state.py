"""Where a run stands: the fold of its facts.

`State.apply` is the only thing that changes a state, and facts are the only thing it is
changed by; two states made from the same facts are equal. It changes in place, so that a run
of n stages costs n. Nothing in it grows with the number of facts, only with the pipeline.
"""

from __future__ import annotations

from typing import Any

from custody.model.confinement import ChosenLevel
from custody.model.event import (
    AgentReplaced,
    AnyFact,
    PipelineCompleted,
    PipelineFailed,
    PipelineReplaced,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    RunStatus,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.outcome import Outcome
from custody.model.request import Spent


class State:
    """What the facts so far add up to."""

    def __init__(self) -> None:
        self.status: RunStatus = "RUNNING"
        self.pipeline_sha256 = ""
        self.agent = ""
        """Who is asked where a node names nobody."""
        self.steps = 0
        """How many stages were entered, retries not counted."""
        self.node = ""
        """The stage at work, or the next one to enter."""
        self.visits: dict[str, int] = {}
        self.attempts: dict[str, int] = {}
        """How many attempts each node has had, over all its visits."""
        self.attempt = 0
        """Of the current visit; 0 before its first attempt."""
        self.outcome: Outcome | None = None
        """Of the last stage that ended."""
        self.context: dict[str, Any] = {}
        self.last_failure: dict[str, Any] = {}
        """Feedback for the next agent: ``node``, ``reason``, ``summary``; empty when cleared."""
        self.unhandled: dict[str, str] = {}
        """Failures that no edge took care of, by node."""
        self.confinement: ChosenLevel | None = None
        """How programs are confined; None as long as no stage starts one."""
        self.active_seconds = 0.0
        self.usage: dict[str, Spent] = {}
        """What each node has cost by now, work that a changed pipeline set aside included."""
        self.spent = Spent()
        """What the run has cost by now."""

    def apply(self, fact: AnyFact) -> None:
        """Take one more fact into account."""
        match fact:
            case StageStarted():
                self._enter(fact)
            case RequestAnswered():
                self.active_seconds += fact.ack.seconds
                self._spend(fact.node, fact.ack.spent())
            case StageRetrying():
                self._remember_failure(fact.node, fact.outcome)
            case StageCompleted():
                self._complete(fact)
            case StageFailed():
                self.outcome = fact.outcome
                self.context.update(fact.outcome.context_updates)
                self.unhandled[fact.node] = fact.outcome.failure_reason
                self._remember_failure(fact.node, fact.outcome)
            case RouteChosen():
                if fact.route.by_condition:
                    self.unhandled.pop(fact.node, None)
                self.node, self.attempt = fact.route.target, 0
            case PipelineStarted():
                self.pipeline_sha256 = fact.pipeline_sha256
                self.agent = fact.agent
                self.confinement = fact.confinement
                self.context["graph.goal"] = fact.goal
            case PipelineReplaced():
                self._go_over(fact)
            case AgentReplaced():
                self.agent = fact.agent
            case PipelineCompleted() | PipelineFailed():
                self.status = _ENDS[type(fact)]

    def _enter(self, fact: StageStarted) -> None:
        if fact.attempt == 1:
            self.steps += 1
            self.visits[fact.node] = fact.visit
        self.attempts[fact.node] = self.attempts.get(fact.node, 0) + 1
        self.node, self.attempt = fact.node, fact.attempt

    def _complete(self, fact: StageCompleted) -> None:
        self.outcome = fact.outcome
        self.context.update(fact.outcome.context_updates)
        self.unhandled.pop(fact.node, None)
        if self.last_failure.get("node") == fact.node:
            self.last_failure = {}

    def _go_over(self, fact: PipelineReplaced) -> None:
        self.pipeline_sha256 = fact.new_sha256
        self.confinement = fact.confinement or self.confinement
        for node, spent in fact.discarded.items():
            self._spend(node, spent)

    def _spend(self, node: str, spent: Spent) -> None:
        self.usage[node] = self.usage.get(node, Spent()).plus(spent)
        self.spent = self.spent.plus(spent)

    def _remember_failure(self, node: str, outcome: Outcome) -> None:
        self.last_failure = {
            "node": node,
            "reason": outcome.failure_reason,
            "summary": outcome.failure_summary,
        }


_ENDS: dict[type[AnyFact], RunStatus] = {PipelineCompleted: "PASS", PipelineFailed: "FAIL"}
