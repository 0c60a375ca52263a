"""The only impure step: a request is carried out and what came of it is captured."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from msgspec.structs import replace

from custody.checks.gates.writes import (
    judge_changes,
    judge_holdouts,
    judge_twice,
    violation_reason,
)
from custody.checks.guards.secrets import redactor_for
from custody.engine.ask import Answer, Asked, Told
from custody.engine.concurrency import Work, carry_out, side_by_side
from custody.engine.interruption import Interruption
from custody.engine.records import Records
from custody.engine.redaction import Redaction
from custody.errors import MalformedDocument, Refused
from custody.executors import Executor, Stage
from custody.executors.document import with_document
from custody.model.allowlist import Allowlist
from custody.model.change import Change, WorkspaceDiff
from custody.model.event import RequestAnswered
from custody.model.evidence import Evidence
from custody.model.graph import Node
from custody.model.ingest import mode_of
from custody.model.record import encode_pretty
from custody.model.request import Ack, AgentRequest, AnyRequest, ingest_of
from custody.model.verdict import Verdict
from custody.sandbox.stage import StageSandbox
from custody.store.limits import as_recorded
from custody.workspace.workspace import Workspace

DIFF_NAME = "workspace.diff.json"


class Effects:
    """Acts on one run's workspace and folders."""

    def __init__(
        self,
        records: Records,
        workspace: Workspace,
        executor: Executor,
        interruption: Interruption,
    ) -> None:
        self._records = records
        self._run = records.run
        self._workspace = workspace
        self._executor = executor
        self._interruption = interruption
        self._redactor = redactor_for(os.environ)
        self._level = None if records.confinement is None else records.confinement.level
        self._sandbox: StageSandbox | None = None
        """Of the stage that is not judged yet."""
        self._carried_out: dict[str, Work] = {}
        """Requests that were carried out beside another one and are not answered yet."""
        self._captured: dict[str, tuple[Change, ...]] = {}
        """What requests changed that are not yet known to the views."""

    def perform(
        self, asked: Asked, beside: tuple[Asked, ...], commit: Callable[[], None], tell: Told
    ) -> Answer:
        """Carry out a request: it is durable before anything is done, and so is its answer."""
        request = asked.request
        if request.id not in self._carried_out:
            works = [self._prepare(each) for each in side_by_side(asked, beside)]
            commit()
            with self._interruption.door():
                carry_out(works, self._execute)
            self._carried_out |= {work.request.id: work for work in works}
        work = self._carried_out.pop(request.id)
        sandbox = self._sandbox = work.stage.sandbox
        ack = work.answer()
        done, verdicts = self._take_stock(sandbox)
        if isinstance(request, AgentRequest) and request.output_path:
            verdicts += judge_changes(done.changes, Allowlist.parse(()), verdicts)
        ack = _refuse(replace(ack, confined=sandbox.confined), verdicts)
        ack = with_document(request, ack, self._run)
        ack, done = self._ingest(asked, ack, work.stage, done, tell)
        diff = work.folder.write(DIFF_NAME, encode_pretty(done))
        work.folder.settle()
        self._captured[request.id] = done.changes
        return _answered(asked.node, ack.sealed(), diff.sealed()), done.changes

    def _ingest(
        self, asked: Asked, ack: Ack, stage: Stage, done: WorkspaceDiff, tell: Told
    ) -> tuple[Ack, WorkspaceDiff]:
        """Take in the document, where that is asked for; return what has changed by then."""
        limits = ingest_of(asked.request)
        if limits is None:
            return ack, done
        from custody.ingest.service import ingest_answer

        ack, facts = ingest_answer(
            ack,
            stage,
            limits,
            mode=mode_of(self._records.genesis.pipeline),
            allowlist=Allowlist.of(asked.node.text("allowed_write_paths")),
            redactor=self._redactor,
        )
        for fact in facts:
            tell(fact)
        # An answer that is taken in has changed nothing else, or it would have been refused.
        return ack, replace(done, changes=self._workspace.capture()) if facts else done

    def _prepare(self, asked: Asked) -> Work:
        """Make a stage's folder, with what is given to it."""
        node, visit, attempt, request = asked
        folder = self._run.stage(node.id, visit, attempt)
        given = {item.path.rpartition("/")[2]: item.text or "" for item in request.given()}
        folder.begin(tuple(given))
        for name, text in given.items():
            folder.write(name, text)
        folder.settle()
        redaction = Redaction(self._redactor)
        stage = Stage(
            node=node.id,
            run=self._run,
            folder=folder.cleaned_by(redaction.data),
            workspace=self._workspace,
            sandbox=StageSandbox(self._level, self._workspace, request.id),
        )
        return Work(request, stage, folder, redaction)

    def document(self, written: Evidence) -> bytes:
        """Return what a document held when it was written."""
        return self._run.document(written)

    def _take_stock(self, sandbox: StageSandbox) -> tuple[WorkspaceDiff, tuple[Verdict, ...]]:
        """Return what a stage changed, and what of it nobody may change."""
        changes = self._workspace.capture(sandbox.layers)
        if sandbox.layers is None:
            return WorkspaceDiff(changes=changes), ()
        layer = self._workspace.layer
        edits = self._workspace.capture() if sandbox.edited else ()
        verdicts = judge_twice(changes, edits)
        both = {change.path: change for change in (*changes, *edits)}
        changes = tuple(both[path] for path in sorted(both))
        verdicts += judge_holdouts(changes, sandbox.layers.hidden)
        return WorkspaceDiff(changes=changes, layer=layer), verdicts

    def recorded_changes(self, answered: RequestAnswered) -> tuple[Change, ...]:
        """Return what a recorded stage changed."""
        captured = self._captured.pop(answered.ack.request_id, None)
        return self._records.changes_of(answered) if captured is None else captured

    def accept(self, changes: tuple[Change, ...]) -> None:
        """Take the changes of a stage as part of the work."""
        self._workspace.accept(changes)
        self._settle(accepted=True)

    def wait(self, seconds: float) -> None:
        """Let time pass before another attempt."""
        with self._interruption.door():
            time.sleep(seconds)

    def roll_back(self) -> None:
        """Undo what a refused stage did; its changes stay as blobs."""
        sandbox = self._sandbox
        if not self._settle(accepted=False) or (sandbox is not None and sandbox.edited):
            self._workspace.restore()

    def _settle(self, *, accepted: bool) -> bool:
        """Bring the layers of the last stage to their end; tell whether it had any."""
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is None or sandbox.layers is None:
            return False
        self._workspace.settle(sandbox.layers, accepted=accepted)
        return True

    def _execute(self, request: AnyRequest, stage: Stage) -> Ack:
        try:
            return self._executor.execute(request, stage)
        except (Refused, MalformedDocument) as error:
            return _refused(request.id, error, self._left_by(request, stage))

    def _left_by(self, request: AnyRequest, stage: Stage) -> tuple[Evidence, ...]:
        """Return what stands in a stage's folder although its executor did not come to tell."""
        given = {evidence.path for evidence in request.given()}
        names = self._run.root.names(stage.folder.path)
        left = [name for name in names if f"{stage.folder.path}/{name}" not in given]
        return tuple(stage.folder.seal(name) for name in left)


def _answered(node: Node, ack: Ack, diff: Evidence) -> RequestAnswered:
    """Return the answer as the journal keeps it; one that it cannot keep is refused."""
    try:
        return as_recorded(RequestAnswered(node=node.id, ack=ack, diff=diff))
    except MalformedDocument as error:
        refused = _refused(ack.request_id, error, ack.evidence)
        return RequestAnswered(node=node.id, ack=refused, diff=diff)


def _refuse(ack: Ack, verdicts: tuple[Verdict, ...]) -> Ack:
    """Return the ack, refused where there is a verdict on what the stage has done."""
    if not verdicts:
        return ack
    return replace(
        ack,
        status="refused",
        failure_reason=violation_reason(verdicts),
        failure_summary="",
        notes="",
        context_updates={},
        verdicts=(*ack.verdicts, *verdicts),
    )


def _refused(
    request_id: str, error: Refused | MalformedDocument, evidence: tuple[Evidence, ...]
) -> Ack:
    verdict = Verdict(check="executor", allowed=False, code=error.code, reason=str(error))
    return Ack(
        request_id=request_id,
        status="refused",
        failure_reason=str(error) if isinstance(error, MalformedDocument) else error.what,
        evidence=evidence,
        verdicts=(verdict,),
    )
