"""Where a run stands: the fold of its facts.

`State.apply` is the only thing that changes a state, and facts are the only thing it is
changed by; two states made from the same facts are equal. It changes in place, so that a run
of n stages costs n. Nothing in it grows with the number of facts, only with the pipeline, its
items and its documents.
"""

from __future__ import annotations

from custody.model.attempt_event import AttemptLost
from custody.model.confinement import ChosenLevel
from custody.model.event import (
    AnyFact,
    GateFailed,
    GatePassed,
    PipelineCompleted,
    PipelineFailed,
    PipelineStarted,
    RequestAnswered,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.fact import RunStatus
from custody.model.outcome import Outcome
from custody.model.output import Output
from custody.model.process_event import AgentReplaced, PipelineReplaced
from custody.model.request import Spent
from custody.model.scope import Scope
from custody.model.verdict import NOT_EXECUTED, GateResult
from custody.model.verify_event import (
    BUNDLE_CREATED,
    VERIFY_FAILED,
    VERIFY_PASSED,
    VERIFY_STARTED,
    PatchApplied,
    PatchRejected,
)

_NOTHING = Spent()

EACH = "each"
"""The node type whose stages hold other stages: those of ``<node>.<item>.``."""


class State(Scope):
    """What the facts so far add up to; as a scope it is that of the run itself."""

    def __init__(self) -> None:
        super().__init__()
        self.status: RunStatus = "RUNNING"
        self.pipeline_sha256 = ""
        self.parts: dict[str, str] = {}
        """The sha256 of every part of the pipeline, by the name it is kept under."""
        self.agent = ""
        """Who is asked where a node names nobody."""
        self.roles: dict[str, str] = {}
        """Who is asked where a node names a role and nobody, by role."""
        self.node = ""
        """The stage at work, or the next one to enter."""
        self.visits: dict[str, int] = {}
        self.attempts: dict[str, int] = {}
        """How many attempts each node has had, over all its visits."""
        self.attempt = 0
        """Of the current visit; 0 before its first attempt."""
        self.outcome: Outcome | None = None
        """Of the last stage that ended."""
        self.repeated = 0
        """How often the last failure of a stage has come in a row: the same stage and reason."""
        self._failed_last = ("", "")
        self.confinement: ChosenLevel | None = None
        """How programs are confined; None as long as no stage starts one."""
        self.active_seconds = 0.0
        self.usage: dict[str, Spent] = {}
        """What each node has cost by now, work that a changed pipeline set aside included."""
        self.documents: dict[str, Evidence] = {}
        """What was written last to each document, in the order of their first writing."""
        self.given: set[str] = set()
        """Documents that are as the user handed them in."""
        self.gates: dict[str, GateResult] = {}
        """The last word of every gate that had something to judge."""
        self.lost: set[str] = set()
        """Requests of which an attempt was broken off, and that have no answer yet."""
        self._items: dict[str, dict[str, Scope]] = {}
        """The items of each stage that works on a list right now, by stage and item."""

    def scope(self, node: str) -> Scope:
        """Return the scope of a stage: that of its item, or the run's."""
        at = node.rfind(".") if self._items else -1
        while at > 0:
            item = node[:at]
            stage, _, number = item.rpartition(".")
            if stage in self._items and number.isdecimal():
                known = self._items[stage]
                if item not in known:
                    known[item] = Scope(self.scope(stage))
                return known[item]
            at = node.rfind(".", 0, at)
        return self

    def apply(self, fact: AnyFact) -> None:  # noqa: C901, PLR0912 - one case for each kind
        """Take one more fact into account."""
        if not fact.traits.changes_state:
            return
        match fact:
            case StageStarted():
                self._enter(fact)
            case RequestAnswered():
                self._take(fact)
            case StageRetrying():
                self._remember_failure(fact.node, fact.outcome)
            case StageCompleted():
                self._complete(fact)
            case StageFailed():
                self._fail(fact)
            case GatePassed():
                self.gates[fact.gate] = "passed"
            case GateFailed():
                if not NOT_EXECUTED.issuperset(verdict.code for verdict in fact.verdicts):
                    self.gates[fact.gate] = "failed"
            case RouteChosen():
                if fact.route.by_condition:
                    self.scope(fact.node).unhandled.pop(fact.node, None)
                self.node, self.attempt = fact.route.target, 0
            case PipelineStarted():
                self._begin(fact)
            case PipelineReplaced():
                self._go_over(fact)
            case AgentReplaced():
                self.agent = fact.agent
            case PipelineCompleted() | PipelineFailed():
                self.status = fact.traits.ends_run or self.status
            case AttemptLost():
                self._lose(fact)
            case (
                PatchApplied()
                | PatchRejected()
                | VERIFY_STARTED()
                | VERIFY_PASSED()
                | VERIFY_FAILED()
                | BUNDLE_CREATED()
            ):
                self._write(fact.documents)
            case _:
                raise TypeError(f"{type(fact).__name__} has no place in the state")

    def _begin(self, fact: PipelineStarted) -> None:
        self.pipeline_sha256, self.parts = fact.pipeline_sha256, fact.parts
        self.agent, self.roles = fact.agent, fact.roles
        self.confinement = fact.confinement
        self.context["graph.goal"] = fact.goal
        self.documents |= {document.path: document for document in fact.documents}
        self.given = {*self.documents}

    def _enter(self, fact: StageStarted) -> None:
        if fact.attempt == 1:
            for scope in self.scope(fact.node).outwards():
                scope.steps += 1
            self.visits[fact.node] = fact.visit
        self.attempts[fact.node] = self.attempts.get(fact.node, 0) + 1
        self.scope(fact.node).outputs.pop(fact.node, None)
        self.node, self.attempt = fact.node, fact.attempt
        if fact.type == EACH:
            self._items[fact.node] = {}

    def _lose(self, fact: AttemptLost) -> None:
        self.lost.add(fact.request_id)
        self.active_seconds += fact.spent.seconds
        self._spend(fact.node, fact.spent)

    def _take(self, fact: RequestAnswered) -> None:
        self.lost.discard(fact.ack.request_id)
        self.active_seconds += fact.ack.seconds
        self._spend(fact.node, fact.ack.spent())
        if (output := Output.of(fact.ack)) is not None:
            self.scope(fact.node).outputs[fact.node] = output
        self._write(fact.ack.evidence)

    def _write(self, files: tuple[Evidence, ...]) -> None:
        for evidence in files:
            if evidence.is_document:
                self.documents[evidence.path] = evidence
                self.given.discard(evidence.path)

    def _complete(self, fact: StageCompleted) -> None:
        scope = self._end(fact.node, fact.outcome)
        scope.unhandled.pop(fact.node, None)
        if scope.last_failure.get("node") == fact.node:
            scope.last_failure = {}

    # BEHAVIOR_ID: B003
    def _fail(self, fact: StageFailed) -> None:
        scope = self._end(fact.node, fact.outcome)
        scope.unhandled[fact.node] = fact.outcome.failure_reason
        self._remember_failure(fact.node, fact.outcome)
        failure = fact.node, fact.outcome.failure_reason
        self.repeated = self.repeated + 1 if failure == self._failed_last else 1
        self._failed_last = failure

    def _end(self, node: str, outcome: Outcome) -> Scope:
        self._items.pop(node, None)
        self.outcome = outcome
        scope = self.scope(node)
        scope.context.update(outcome.context_updates)
        return scope

    def _go_over(self, fact: PipelineReplaced) -> None:
        self.pipeline_sha256, self.parts = fact.new_sha256, fact.parts
        self.confinement = fact.confinement or self.confinement
        for node, spent in fact.discarded.items():
            self._spend(node, spent)

    def _spend(self, node: str, spent: Spent) -> None:
        if spent == _NOTHING:
            return  # a node that has cost nothing needs no place to remember it
        self.usage[node] = self.usage.get(node, Spent()).plus(spent)
        for scope in self.scope(node).outwards():
            scope.spent = scope.spent.plus(spent)

    def _remember_failure(self, node: str, outcome: Outcome) -> None:
        self.scope(node).last_failure = {
            "node": node,
            "reason": outcome.failure_reason,
            "summary": outcome.failure_summary,
        }
