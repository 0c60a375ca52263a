"""One run from its first stage to its end, whichever recording it is on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from custody.checks.gates import CARRIED_OUT, Case
from custody.engine import budget, redaction, retry
from custody.engine.ask import Asked, Performed, Steps, World, go
from custody.engine.each import ItemResult, outcome_of, work_through
from custody.engine.frame import Frame
from custody.engine.ingest_settings import with_ingest
from custody.engine.judge import Judgement, failed_outcome, judge, judge_stage
from custody.engine.limit_settings import output_limit, with_limits
from custody.engine.recording import Recording
from custody.engine.route import choose, told_by_code
from custody.errors import Refused
from custody.handlers import Situation, handlers
from custody.handlers.each import items_of
from custody.model import layout
from custody.model.change import WorkspaceDiff
from custody.model.event import (
    AnyFact,
    GuardrailViolation,
    PipelineCompleted,
    PipelineFailed,
    PipelineStarted,
    RouteChosen,
    StageCompleted,
    StageFailed,
    StageRetrying,
    StageStarted,
)
from custody.model.evidence import Evidence
from custody.model.graph import Node, Pipeline, agent_of_role
from custody.model.outcome import Outcome, Route
from custody.model.request import Ack, AgentRequest, AnyRequest
from custody.model.state import EACH, State
from custody.model.verdict import Verdict
from custody.model.verify_event import AnyAnnouncement
from custody.pipeline.condition import Told

DEFAULT_MAX_VISITS = 10
"""How often one node may be entered, where it says nothing else."""


class Engine:
    """Takes a pipeline along a recording. Everything it decides follows from the facts before."""

    def __init__(
        self,
        pipeline: Pipeline,
        recording: Recording,
        world: World,
    ) -> None:
        self.pipeline = pipeline
        self.state = State()
        self._recording = recording
        self._world = world
        self._handlers = handlers()
        self._documents = MappingProxyType(self.state.documents)
        self._gates = MappingProxyType(self.state.gates)

    def run(self, started: PipelineStarted) -> State:
        """Go on until the run has ended."""
        self._started = started
        self._recording.rewind(self.state.apply)
        self.state.apply(started)
        self._recording.record(started)
        self.state.node = self.pipeline.start.id
        frame = Frame.of_run(self.pipeline, started, self.state)
        node, reason = go(self._walk(frame), self._recording, self._world)
        if self._recording.is_over():
            self._world.leave("run_ended", self._recording.tell)
        if reason:
            unhandled = dict(sorted(self.state.unhandled.items()))
            self._record(PipelineFailed(node=node.id, reason=reason, unhandled=unhandled))
        else:
            self._record(PipelineCompleted(node=node.id))
        self._recording.commit()
        return self.state

    def _walk(self, frame: Frame) -> Steps[tuple[Node, str]]:
        """Go from the start of a pipeline to its end; return the last node, and why it failed."""
        node = frame.pipeline.start
        while True:
            if exceeded := self._exceeded(node, frame):
                return node, exceeded
            outcome, over = yield from self._stage(node, frame)
            if over:
                return node, over
            if node.type == "exit":
                if outcome.status == "success" and not frame.scope.unhandled:
                    return node, ""
                return node, outcome.failure_reason or "a failed stage was never handled"
            route = self._route(node, frame, outcome)
            self._record(RouteChosen(node=node.id, route=route))
            if not route.target:
                return node, f"no route from node {node.id} for outcome {outcome.status}"
            node = frame.pipeline.nodes[route.target]

    def _route(self, node: Node, frame: Frame, outcome: Outcome) -> Route:
        told: Told = "all"
        if self._recording.version.failures_named:
            told = told_by_code(outcome, frame.scope.outputs.get(node.id))
        scope = frame.scope
        return choose(frame.pipeline, node.id, outcome.status, scope, frame.prefix, told=told)

    def _exceeded(self, node: Node, frame: Frame) -> str:
        visits = node.integer("max_visits", DEFAULT_MAX_VISITS)
        if self.state.visits.get(node.id, 0) >= visits:
            return f"max_visits exceeded: {node.id} ({visits})"
        for each in frame.outwards():
            if each.scope.steps >= each.max_steps:
                return f"max_steps exceeded: {each.max_steps}"
        return budget.exceeded(frame, node, self.state)

    def _stage(self, node: Node, frame: Frame) -> Steps[tuple[Outcome, str]]:
        """Enter a node and try until it has an outcome; return why nothing follows, if so."""
        visit = self.state.visits.get(node.id, 0) + 1
        attempt = 1
        while True:
            outcome = yield from self._attempt(node, frame, visit, attempt)
            spent = budget.exceeded(frame, node, self.state)
            again = retry.may_retry(node, attempt, outcome)
            if spent or not again:
                break
            delay = retry.delay(self._started.decided_as, node, attempt)
            self._record(
                StageRetrying(
                    node=node.id, visit=visit, attempt=attempt, outcome=outcome, delay=delay
                ),
                node=node,
            )
            self._wait(delay)
            attempt += 1
        final = retry.settle(node, attempt, outcome)
        ended = StageFailed if final.status in ("fail", "retry") else StageCompleted
        self._record(ended(node=node.id, visit=visit, attempt=attempt, outcome=final), node=node)
        is_over = spent and (again or outcome.failure_reason == spent)
        return final, spent if is_over and self._recording.version.budgets_final else ""

    def _attempt(self, node: Node, frame: Frame, visit: int, attempt: int) -> Steps[Outcome]:
        if self._recording.version.last_attempts_judged:
            frame.forget(node)
        request_id = layout.request_id(node.id, visit, attempt)
        situation = Situation(
            state=self.state,
            scope=frame.scope,
            values=frame.values,
            read=self._world.document,
            recorded=self._world.read,
            agent=self._agent(node),
            request_id=request_id,
            folder=layout.request_folder(request_id),
            prefix=frame.prefix,
            output_limit=output_limit(frame, node, self._started.output_limit),
            version=self._recording.version,
        )
        handler = self._handlers[node.type]
        try:
            request = handler.request(node, situation)
        except Refused as refused:
            self._start_stage(node, visit, attempt, None)
            return self._refuse(node, refused)
        if request is not None:
            request = budget.bounded(request, frame, node, self.state)
            request = with_limits(request, frame, node)
            request = with_ingest(
                request, frame, node, self._started.ingest, self._recording.version
            )
        self._start_stage(node, visit, attempt, request)
        if handler.announces:
            self._tell(handler.opening(node, situation), node)
        if node.type == EACH:
            return (yield from self._each(node, frame, situation))
        if request is None:
            return self._decide(node, frame, visit, attempt)
        asked = Asked(node, request)
        gates = handler.gates(node)

        def accepts(ack: Ack, diff: WorkspaceDiff) -> bool:
            case = self._case(request, ack, diff)
            of_form = [gate for gate in gates if not gate.of_content]
            return failed_outcome(judge(of_form, case), case) is None and ack.status in CARRIED_OUT

        turn = yield (asked,)
        if over := self._spent_by_lost(asked, frame):
            turn.give_up(asked)
            return Outcome(status="fail", failure_reason=over)
        performed = turn.answer(asked, accepts)
        self.state.apply(performed.answered)
        case = self._case(request, performed.answered.ack, performed.diff)
        judgements = judge(gates, case)
        outcome = self._judged(node, visit, attempt, judgements, case)
        if handler.announces:
            wrong = tuple(verdict for each in judgements for verdict in each.verdicts)
            self._tell(handler.closing(node, situation, case, outcome, wrong), node)
        self._keep_or_undo(node, performed, outcome)
        frame.remember(node, case)
        return outcome

    def _agent(self, node: Node) -> str:
        """Return who is asked where a node names nobody."""
        roles, agent = self.state.roles, self.state.agent
        return agent_of_role(node, agent, roles) if roles else agent

    def _spent_by_lost(self, asked: Asked, frame: Frame) -> str:
        """Return why a request is not carried out again after it was broken off; empty if it is."""
        self._recording.is_over()  # goes live, where what was lost in a crash is noted
        if asked.request.id not in self.state.lost:
            return ""
        return budget.exceeded(frame, asked.node, self.state)

    def _case(self, request: AnyRequest | None, ack: Ack, diff: WorkspaceDiff) -> Case:
        return Case(
            request,
            ack,
            diff,
            self._world.read,
            self._world.content,
            self._recording.version,
            documents=_with_own(self._documents, request, ack),
            executed=self._gates,
            written=self._written,
        )

    def _written(self, evidence: Evidence) -> bytes:
        """Return what a document held when it was written, or what is about to become one."""
        own = layout.is_attempt_file(evidence.path)
        return self._world.read(evidence) if own else self._world.document(evidence)

    def _tell(self, fact: AnyAnnouncement | None, node: Node) -> None:
        """Come to a fact that others look for; its documents are on disk once it is durable."""
        if fact is None or not self._recording.version.knows(fact.traits.since):
            return
        self._record(fact.sealed(), node=node)
        if self._recording.live and fact.documents:
            self._world.announce(fact.documents, self._recording.commit)

    def _each(self, node: Node, frame: Frame, situation: Situation) -> Steps[Outcome]:
        """Take every item of a list through the node's pipeline."""
        items = items_of(node, situation)

        def walk(index: int) -> Steps[ItemResult]:
            inner = frame.of_item(node, items[index - 1], index, len(items))
            _, reason = yield from self._walk(inner)
            outcome = "fail" if reason else "success"
            return ItemResult(outcome=outcome, reason=reason, context=inner.scope.own)

        results = yield from work_through(len(items), node.integer("max_parallel", 1), walk)
        name = node.id.removeprefix(frame.prefix)
        return outcome_of(name, results, counted=self._recording.version.outputs_quoted)

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
            node=node,
        )
        if request is not None and self._recording.live:
            self._world.begin(request)

    def _decide(self, node: Node, frame: Frame, visit: int, attempt: int) -> Outcome:
        """Return the outcome of a stage that asks nothing of the outside."""
        handler = self._handlers[node.type]
        nothing = Ack(request_id=f"{node.id}/{visit}.{attempt}", status="ok")
        case = self._case(None, nothing, WorkspaceDiff(changes=()))
        gates = handler.gates(node)
        if stage := handler.judged(node):
            recorded = frame.cases.get(stage)
            if recorded is not None:
                recorded = replace(recorded, documents=self._documents)
            judgements = judge_stage(gates, stage, recorded)
        else:
            judgements = judge(gates, case)
        return self._judged(node, visit, attempt, judgements, case)

    def _judged(
        self, node: Node, visit: int, attempt: int, judgements: list[Judgement], case: Case
    ) -> Outcome:
        """Put every verdict on record, and return what they leave of the answer."""
        if self._recording.version.verdicts_recorded:
            facts = (judgement.fact(node, visit, attempt) for judgement in judgements)
            self._record(*facts, node=node)
        failed = failed_outcome(judgements, case)
        return self._handlers[node.type].outcome(node, case) if failed is None else failed

    def _keep_or_undo(self, node: Node, performed: Performed, outcome: Outcome) -> None:
        """Take over what an attempt changed, or undo it if it was refused."""
        if not outcome.refused:
            self._world.accept(performed)
            return
        self._record(GuardrailViolation(node=node.id, verdicts=outcome.refused), node=node)
        if self._recording.live:
            self._recording.commit()  # the verdict stays, whatever becomes of the workspace
            self._world.roll_back(performed)

    def _refuse(self, node: Node, refused: Refused) -> Outcome:
        verdict = Verdict(check=node.type, allowed=False, code=refused.code, reason=refused.what)
        self._record(GuardrailViolation(node=node.id, verdicts=(verdict,)), node=node)
        return Outcome(status="fail", failure_reason=refused.what, refused=(verdict,))

    def _wait(self, seconds: float) -> None:
        if self._recording.is_over():
            self._recording.commit()
            self._world.wait(seconds)

    def _record(self, *facts: AnyFact, node: Node | None = None) -> None:
        """Come to facts of a stage, or of the run itself, one after the other."""
        path = "" if node is None else layout.node_folder(node.id)
        self._recording.record(*facts, role="engine" if node is None else node.type, path=path)
        for fact in facts:
            self.state.apply(fact)


def _with_own(
    documents: Mapping[str, Evidence], request: AnyRequest | None, ack: Ack
) -> Mapping[str, Evidence]:
    """Return the documents with the one that an answer is to become, though it is not yet."""
    if not isinstance(request, AgentRequest) or not request.output_path:
        return documents
    response = next((item for item in ack.evidence if layout.is_response(item.path)), None)
    if response is None or ack.status not in CARRIED_OUT:
        return documents
    return {**documents, request.output_path: response}
