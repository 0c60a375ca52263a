"""The only impure step: a request is carried out and what came of it is captured."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType

from msgspec import UNSET
from msgspec.structs import replace

from custody.checks.guards.secrets import Redactor
from custody.engine.ask import Accepts, Asked, Performed, TellOf, Told
from custody.engine.budget import SHORTEST
from custody.engine.concurrency import Telling, Work, carry_out, side_by_side
from custody.engine.interruption import Interruption
from custody.engine.redaction import Redaction
from custody.errors import MalformedDocument, Refused
from custody.executors import Executor, Stage
from custody.executors.document import with_document
from custody.model import layout
from custody.model.allowlist import Allowlist
from custody.model.attempt_event import AnswerArrived, AttemptLost
from custody.model.change import WorkspaceDiff
from custody.model.event import AnyFact, RequestAnswered
from custody.model.evidence import Evidence
from custody.model.graph import Node
from custody.model.ingest import mode_of
from custody.model.limits import LIMIT_EXCEEDED
from custody.model.record import encode_pretty
from custody.model.request import (
    Ack,
    AgentRequest,
    AnyRequest,
    Usage,
    VerificationRequest,
    WriteRequest,
    ingest_of,
)
from custody.model.verdict import Verdict
from custody.sandbox.caches import StageCaches
from custody.sandbox.confinement import WORKSPACE_VIEW
from custody.sandbox.stage import StageSandbox
from custody.store.attempt_folder import AttemptFolder
from custody.store.history import History
from custody.store.limits import as_recorded
from custody.workspace.workspace import Workspace


class Effects:
    """Acts on one run's workspace and folders."""

    def __init__(
        self,
        history: History,
        workspace: Workspace,
        executor: Executor,
        interruption: Interruption,
        redactor: Redactor,
        *,
        lost: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """Get ready; ``lost`` is the time that requests have lost by a crash, in seconds."""
        self._history = history
        self._run = history.run
        self._workspace = workspace
        self._executor = executor
        self._interruption = interruption
        self._redactor = redactor
        self._level = None if history.confinement is None else history.confinement.level
        self._agent_asked = False
        """Whether an agent was asked in this run: what is cached from then on is not kept."""
        self._lost = lost
        self._waited = history.times.waited
        """Seconds of a back-off that passed before the run was resumed."""
        self._begun: dict[str, AttemptFolder] = {}
        """Folders that this process has made ready for requests that are not carried out yet."""
        self._carried_out: dict[str, Work] = {}
        """Requests that were carried out beside another one and are not answered yet."""
        self.read = history.run.read_evidence
        self.content = history.run.blobs.get
        self.document = history.run.document

    def begin(self, request: AnyRequest) -> None:
        """Make the folder of a request ready: its line may be committed long before its turn."""
        given = _given(request)
        folder = self._begun[request.id] = self._run.stage(request.id)
        folder.begin(given)

    def perform(
        self,
        asked: Asked,
        beside: tuple[Asked, ...],
        commit: Callable[[], None],
        accepts: Accepts,
        tell_of: TellOf,
    ) -> Performed:
        """Carry out a request: it is durable before anything is done, and so is its answer."""
        work = self._work(asked, beside, commit, tell_of)
        sandbox = work.stage.sandbox
        ack = work.answer()
        if sandbox.confined is not None or ack.confined is not None:
            ack = replace(ack, confined=sandbox.confined)
        if _keeps_nothing(asked.request, ack):
            self._workspace.throw_away(sandbox.layers)
            sandbox.caches.end()
            return self._settled(asked, work, ack, WorkspaceDiff(changes=()))
        diff = self._capture(sandbox)
        if _becomes_more(asked.request) and accepts(ack, diff):
            ack = with_document(asked.request, ack, self._run)
            ack, diff = self._ingest(asked, ack, work.stage, diff, tell_of(asked))
        return self._settled(asked, work, ack, diff, sandbox)

    def _settled(
        self,
        asked: Asked,
        work: Work,
        ack: Ack,
        diff: WorkspaceDiff,
        sandbox: StageSandbox | None = None,
    ) -> Performed:
        """Return the answer when everything that it names is on disk."""
        document, sealed = encode_pretty(diff), ack.sealed()
        shown = work.folder.write(layout.WORKSPACE_DIFF, document)
        work.folder.settle()
        return Performed(_answered(asked.node, sealed, shown), diff, sandbox)

    def recorded(self, request: AnyRequest, answered: RequestAnswered) -> Performed:
        """Return what is remembered of a request that was answered before."""
        self._note(request)
        return Performed(answered, self._history.diff_of(answered))

    def give_up(self, asked: Asked) -> None:
        """Set aside what was left of a request that is not carried out again."""
        self._run.stage(asked.request.id).begin(_given(asked.request))

    def announce(self, documents: tuple[Evidence, ...], commit: Callable[[], None]) -> None:
        """Write documents of a fact that waits to be durable, each when the fact is."""
        for document in documents:
            if document.sealed().text is None:
                self._run.blobs.put((document.text or "").encode())
        self._run.blobs.sync()
        commit()
        for document in documents:
            self._run.write(document.path, (document.text or "").encode(), sync=True)

    def accept(self, performed: Performed) -> None:
        """Take the changes of an attempt as part of the work."""
        self._workspace.accept(performed.diff.changes)
        sandbox = performed.sandbox
        if sandbox is None:
            return
        if sandbox.layers is not None:
            self._workspace.settle(sandbox.layers, accepted=True)
        sandbox.caches.end(accepted=True)

    def roll_back(self, performed: Performed) -> None:
        """Undo what a refused attempt did; its changes stay as blobs."""
        sandbox = performed.sandbox
        layers = None if sandbox is None else sandbox.layers
        if layers is not None:
            self._workspace.settle(layers, accepted=False)
        if layers is None or (sandbox is not None and sandbox.edited):
            self._workspace.restore()
        if sandbox is not None:
            sandbox.caches.end()

    def wait(self, seconds: float) -> None:
        """Let time pass before another attempt; a wait that was interrupted goes on."""
        left, self._waited = max(0.0, seconds - self._waited), 0.0
        with self._interruption.allowed():
            time.sleep(left)

    def leave(self, reason: str, tell: Told) -> None:
        """End what stays between requests."""
        self._executor.leave(reason, tell)

    def _work(
        self, asked: Asked, beside: tuple[Asked, ...], commit: Callable[[], None], tell_of: TellOf
    ) -> Work:
        """Return the request when it has been carried out, maybe with others beside it."""
        request = asked.request
        if request.id not in self._carried_out:
            telling = Telling(commit, self._history.version)
            works = [
                self._prepare(each, telling.durably(tell_of(each)))
                for each in side_by_side(asked, beside)
            ]
            commit()
            due = [work for work in works if work.ack is None]
            began = time.monotonic()
            try:
                carry_out(due, self._execute, self._interruption, self._keep)
            except KeyboardInterrupt:
                telling.close()
                self._lose(due, time.monotonic() - began, tell_of)
                raise
            self._carried_out |= {work.request.id: work for work in works}
        return self._carried_out.pop(request.id)

    def _lose(self, works: list[Work], seconds: float, tell_of: TellOf) -> None:
        """Tell what attempts have cost that are broken off."""
        if not self._history.version.attempts_kept:
            return
        for work in works:
            if work.ack is None:
                asked, used = work.asked, work.used[-1] if work.used else None
                ack = Ack(request_id=asked.request.id, status="failed", usage=used)
                spent = replace(ack.spent(), seconds=round(seconds, 3))
                lost = AttemptLost(node=asked.node.id, request_id=ack.request_id, spent=spent)
                tell_of(asked)(lost)

    def _keep(self, work: Work) -> None:
        """Put an answer on record that came before its turn."""
        if work.ack is None or not self._history.version.attempts_kept:
            return
        work.folder.settle()
        arrived = AnswerArrived(node=work.asked.node.id, ack=work.ack.sealed())
        with suppress(MalformedDocument):  # such an ack is refused when its turn has come
            work.stage.tell(as_recorded(arrived))

    @cached_property
    def _in_doubt(self) -> frozenset[str]:
        """Requests that an earlier process may have begun to carry out."""
        return frozenset(request.id for request in self._history.open_requests())

    def _capture(self, sandbox: StageSandbox) -> WorkspaceDiff:
        """Return what an attempt changed, and what it was not to see."""
        changes = self._workspace.capture(sandbox.layers)
        dropped = self._workspace.dropped or UNSET
        if sandbox.layers is None:
            return WorkspaceDiff(changes=changes, dropped=dropped)
        layer = self._workspace.layer
        edits = self._workspace.capture() if sandbox.edited else ()
        both = {change.path: change for change in (*changes, *edits)}
        twice = bool(changes and edits)
        return WorkspaceDiff(
            changes=tuple(both[path] for path in sorted(both)),
            layer=layer,
            hidden=tuple(sorted(sandbox.layers.hidden.paths)) or UNSET,
            dropped=dropped,
            by_programs=changes if twice else UNSET,
            by_answer=edits if twice else UNSET,
        )

    def _ingest(
        self, asked: Asked, ack: Ack, stage: Stage, diff: WorkspaceDiff, tell: Told
    ) -> tuple[Ack, WorkspaceDiff]:
        """Ingest the document, where that is asked for; return what has changed by then."""
        limits = ingest_of(asked.request)
        if limits is None:
            return ack, diff
        from custody.ingest.answer import ingest_answer

        ack, facts = ingest_answer(
            ack,
            stage,
            limits,
            mode=mode_of(self._history.genesis.pipeline),
            allowlist=Allowlist.of(asked.node.text("allowed_write_paths")),
            redactor=self._redactor,
        )
        for fact in facts:
            tell(fact)
        # An answer that is ingested has changed nothing else, or it would have been refused.
        return ack, replace(diff, changes=self._workspace.capture()) if facts else diff

    def _prepare(self, asked: Asked, tell: Callable[[AnyFact], None]) -> Work:
        """Make a stage's folder, with what is given to it."""
        request = asked.request
        self._note(request)
        redaction = Redaction(self._redactor)
        folder = self._begun.pop(request.id, None)
        arrived = self._history.arrived(request.id)
        if folder is None:
            folder = self._run.stage(request.id)
            if arrived is None:
                folder.begin(_given(request))
        stage = Stage(
            node=asked.node.id,
            run=self._run,
            folder=folder.cleaned_by(redaction.data),
            workspace=self._workspace,
            sandbox=StageSandbox(
                self._level,
                self._workspace,
                request.id,
                StageCaches(self._run.root, request.id, kept=not self._agent_asked),
                self._history.genesis.workspace_at or WORKSPACE_VIEW,
            ),
            tell=tell,
            use=(used := list[Usage]()).append,
        )
        in_doubt = request.id in self._in_doubt
        return Work(asked, stage, folder, redaction, in_doubt=in_doubt, ack=arrived, used=used)

    def _note(self, request: AnyRequest) -> None:
        self._agent_asked |= isinstance(request, AgentRequest)

    def _execute(self, work: Work) -> Ack:
        """Carry a request out, unless something has come of it before."""
        request, stage = self._in_time_left(work.request), work.stage
        try:
            ack = self._executor.recover(request, stage) if work.in_doubt else None
            return ack or self._executor.execute(request, stage)
        except (Refused, MalformedDocument) as error:
            return _refused(request.id, error, self._left_by(request, stage))
        except BaseException:
            stage.sandbox.caches.end()
            raise

    def _in_time_left(self, request: AnyRequest) -> AnyRequest:
        """Return a request with the time that attempts which were broken off have left of it."""
        lost = self._history.lost_seconds(request.id) + self._lost.get(request.id, 0.0)
        if not lost:
            return request
        return replace(request, timeout=max(SHORTEST, round(request.timeout - lost, 6)))

    def _left_by(self, request: AnyRequest, stage: Stage) -> tuple[Evidence, ...]:
        """Return what stands in a stage's folder although its executor did not come to tell."""
        given = {evidence.path for evidence in request.given()}
        return tuple(each for each in stage.folder.left() if each.path not in given)


def _given(request: AnyRequest) -> dict[str, str]:
    """Return the texts that an attempt's folder holds before the work begins, by name."""
    return {item.path.rpartition("/")[2]: item.text or "" for item in request.given()}


def _answered(node: Node, ack: Ack, diff: Evidence) -> RequestAnswered:
    """Return the answer as the journal keeps it; one that it cannot keep is refused."""
    try:
        return as_recorded(RequestAnswered(node=node.id, ack=ack, diff=diff))
    except MalformedDocument as error:
        refused = _refused(ack.request_id, error, ack.evidence)
        return RequestAnswered(node=node.id, ack=refused, diff=diff)


def _becomes_more(request: AnyRequest) -> bool:
    """Whether an answer becomes more than itself: a document, or files that are taken out of it."""
    match request:
        case AgentRequest():
            return bool(request.output_path) or request.ingest is not None
        case WriteRequest():
            return request.ingest is not None
        case _:
            return False


def _keeps_nothing(request: AnyRequest, ack: Ack) -> bool:
    """Whether a stage only judges, or has left more than a run could keep."""
    if ack.failure_reason.startswith(LIMIT_EXCEEDED):
        return True
    return isinstance(request, VerificationRequest) and request.keeps_nothing


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
