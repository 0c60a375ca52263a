"""One run from its first stage to its end, whichever tape it is on."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from custody.checks.guards.writes import judge_changes, violation_reason
from custody.engine import budget, redaction, retry
from custody.engine.route import choose
from custody.engine.tape import Tape
from custody.errors import Refused
from custody.handlers import Situation, handlers
from custody.model.allowlist import Allowlist
from custody.model.change import Change
from custody.model.event import (
    AnyFact,
    GuardrailViolation,
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
from custody.model.graph import Node, Pipeline
from custody.model.outcome import Outcome
from custody.model.request import Ack, AnyRequest
from custody.model.state import State
from custody.model.verdict import Verdict

DEFAULT_MAX_VISITS = 10
"""How often one node may be entered, where it says nothing else."""


class World(Protocol):
    """What lies outside the decisions: `effects.Effects` acts, a replay only remembers."""

    def perform(
        self, node: Node, visit: int, attempt: int, request: AnyRequest, commit: Callable[[], None]
    ) -> tuple[RequestAnswered, tuple[Change, ...]]:
        """Carry out a request, once `commit` has made it durable."""
        ...

    def recorded_changes(self, answered: RequestAnswered) -> tuple[Change, ...]:
        """Return what a recorded stage changed."""
        ...

    def accept(self, changes: tuple[Change, ...]) -> None:
        """Take the changes of a stage as part of the work."""
        ...

    def roll_back(self) -> None:
        """Undo what a refused stage did."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass before another attempt."""
        ...


class Engine:
    """Takes a pipeline along a tape. Everything it decides follows from the facts before."""

    def __init__(
        self,
        pipeline: Pipeline,
        tape: Tape,
        world: World,
    ) -> None:
        self.pipeline = pipeline
        self.state = State()
        self._tape = tape
        self._world = world
        self._handlers = handlers()

    def run(self, started: PipelineStarted) -> State:
        """Go on until the run has ended."""
        self._started = started
        self._tape.rewind(self.state.apply)
        self.state.apply(started)
        self._tape.record(started)
        self.state.node = self.pipeline.start.id
        while self.state.status == "RUNNING":
            self._step(self.pipeline.nodes[self.state.node])
        self._tape.commit()
        return self.state

    def _step(self, node: Node) -> None:
        if exceeded := self._exceeded(node):
            self._fail(node, exceeded)
            return
        outcome = self._stage(node)
        if node.type == "exit":
            self._end(node, outcome)
            return
        route = choose(self.pipeline, node.id, outcome.status, self.state.context)
        self._record(RouteChosen(node=node.id, route=route))
        if not route.target:
            self._fail(node, f"no route from node {node.id} for outcome {outcome.status}")

    def _exceeded(self, node: Node) -> str:
        visits = node.integer("max_visits", DEFAULT_MAX_VISITS)
        if self.state.visits.get(node.id, 0) >= visits:
            return f"max_visits exceeded: {node.id} ({visits})"
        limit = self.pipeline.attributes.get("max_steps")
        if limit is not None and self.state.steps >= int(str(limit.value)):
            return f"max_steps exceeded: {limit.value}"
        return budget.exceeded(self.pipeline, node, self.state)

    def _stage(self, node: Node) -> Outcome:
        """Enter a node and try until it has an outcome."""
        visit = self.state.visits.get(node.id, 0) + 1
        attempt = 1
        while True:
            outcome = self._attempt(node, visit, attempt)
            spent = budget.exceeded(self.pipeline, node, self.state)
            if spent or not retry.may_retry(node, attempt, outcome):
                break
            delay = retry.delay(self._started.decided_as, node, attempt)
            self._record(
                StageRetrying(
                    node=node.id, visit=visit, attempt=attempt, outcome=outcome, delay=delay
                ),
                node,
            )
            self._wait(delay)
            attempt += 1
        final = retry.settle(node, attempt, outcome)
        ended = StageFailed if final.status in ("fail", "retry") else StageCompleted
        self._record(ended(node=node.id, visit=visit, attempt=attempt, outcome=final), node)
        return final

    def _attempt(self, node: Node, visit: int, attempt: int) -> Outcome:
        situation = Situation(
            run_id=self._started.decided_as,
            pipeline=self.pipeline,
            state=self.state,
            variables=self._started.variables,
            agent=self.state.agent,
            visit=visit,
            attempt=attempt,
        )
        handler = self._handlers[node.type]
        try:
            request = handler.request(node, situation)
        except Refused as refused:
            self._start_stage(node, visit, attempt, None)
            return self._refuse(node, refused)
        if request is not None:
            request = budget.bounded(request, self.pipeline, node, self.state)
        self._start_stage(node, visit, attempt, request)
        if request is None:
            return handler.outcome(node, Ack(request_id=situation.request_id(node), status="ok"))
        answered, changes = self._answer(node, visit, attempt, request)
        self.state.apply(answered)
        return self._judge(node, handler.outcome(node, answered.ack), changes)

    def _start_stage(
        self, node: Node, visit: int, attempt: int, request: AnyRequest | None
    ) -> None:
        self._record(
            StageStarted(
                node=node.id,
                type=node.type,
                visit=visit,
                attempt=attempt,
                request=None if request is None else redaction.shown(request.sealed()),
            ),
            node,
        )

    def _answer(
        self, node: Node, visit: int, attempt: int, request: AnyRequest
    ) -> tuple[RequestAnswered, tuple[Change, ...]]:
        recorded = self._tape.answer(request.id)
        if recorded is not None:
            return recorded, self._world.recorded_changes(recorded)
        answered, changes = self._world.perform(node, visit, attempt, request, self._tape.commit)
        self._tape.write(answered, role=node.type, path=f"nodes/{request.id}")
        return answered, changes

    def _judge(self, node: Node, outcome: Outcome, changes: tuple[Change, ...]) -> Outcome:
        """Let the gates have the last word, and keep or undo what the stage changed."""
        allowlist = _allowlist(node.text("allowed_write_paths"))
        if verdicts := judge_changes(changes, allowlist, outcome.refused):
            outcome = Outcome(
                status="fail",
                failure_reason=violation_reason(verdicts),
                refused=(*outcome.refused, *verdicts),
            )
        if not outcome.refused:
            self._world.accept(changes)
            return outcome
        self._record(GuardrailViolation(node=node.id, verdicts=outcome.refused), node)
        if self._tape.live:
            self._tape.commit()  # the verdict stays, whatever keeps the workspace from going back
            self._world.roll_back()
        return outcome

    def _refuse(self, node: Node, refused: Refused) -> Outcome:
        verdict = Verdict(check=node.type, allowed=False, code=refused.code, reason=refused.what)
        self._record(GuardrailViolation(node=node.id, verdicts=(verdict,)), node)
        return Outcome(status="fail", failure_reason=refused.what, refused=(verdict,))

    def _end(self, node: Node, outcome: Outcome) -> None:
        if outcome.status == "success" and not self.state.unhandled:
            self._record(PipelineCompleted(node=node.id))
            return
        reason = outcome.failure_reason or "a failed stage was never handled"
        self._fail(node, reason)

    def _fail(self, node: Node, reason: str) -> None:
        unhandled = dict(sorted(self.state.unhandled.items()))
        self._record(PipelineFailed(node=node.id, reason=reason, unhandled=unhandled))

    def _wait(self, seconds: float) -> None:
        if self._tape.live:
            self._tape.commit()
            self._world.wait(seconds)

    def _record(self, fact: AnyFact, node: Node | None = None) -> None:
        path = "" if node is None else f"nodes/{node.id}"
        self._tape.record(fact, role="engine" if node is None else node.type, path=path)
        self.state.apply(fact)


@lru_cache(maxsize=4096)
def _allowlist(text: str) -> Allowlist | None:
    return Allowlist.parse(part.strip() for part in text.split(",")) if text else None
