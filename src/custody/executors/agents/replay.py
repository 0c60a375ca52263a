"""The agent ``replay``: answers from the record of another run, with what they changed.

``replay:RUN`` names the run as everywhere: by its id, a unique beginning of it, or its path. Each
request gets the recorded answer of the same node and call; the files that it changed there are
changed here, if they are what they were before. A prompt that differs is noted, and with the
setting ``replay.strict`` it is a failure.

    replay.json   where the answer comes from
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from custody.errors import BlobDamaged, MalformedDocument, PathRefused, RunNotFound, UsageError
from custody.executors.agents import AgentContext, AgentType
from custody.executors.settings import setting
from custody.model import layout
from custody.model.change import Change, WorkspaceDiff
from custody.model.event import RequestAnswered, StageStarted
from custody.model.record import Record, decode, encode_pretty
from custody.model.relpath import RelPath
from custody.model.request import Ack, AgentRequest
from custody.store.history import History
from custody.store.index import LAST, find_run, list_runs
from custody.store.places import identity
from custody.store.rundir import RunDirectory

if TYPE_CHECKING:
    from custody.executors import Stage

_KINDS = ("file", "dir", "symlink")


class Replayed(Record, frozen=True):
    """``replay.json``: where an answer comes from."""

    run_id: str
    request_id: str
    prompt_sha256: str
    """Of the recorded prompt."""
    prompt_differs: bool
    changes: int
    """How many paths the answer changed there."""


class Recorded(NamedTuple):
    """One request of the other run, and its answer."""

    request: AgentRequest
    answered: RequestAnswered


class ReplayAgent:
    """Answers from a record."""

    def __init__(self, run: str, context: AgentContext) -> None:
        if not run:
            raise UsageError("the agent replay needs a run", hint="replay:RUN, with its id or path")
        self._run = run
        self._context = context
        self._recorded: dict[tuple[str, int], Recorded] | None = None

    def work(self, request: AgentRequest, stage: Stage) -> Ack:
        """Give the recorded answer again."""
        path = self._find(stage)
        with RunDirectory.open(path, write=False) as other:
            if self._recorded is None:
                self._recorded = read_answers(other)
            found = self._recorded.get((stage.node, request.call))
            if found is None:
                what = f"run {other.run_id} has no answer to call {request.call} of {stage.node}"
                return _failed(request, f"replay_missing: {what}")
            differs = found.request.prompt.sha256 != request.prompt.sha256
            if differs and self._context.settings(request).flag("strict"):
                what = f"the prompt is not that of {found.request.id} in run {other.run_id}"
                return _failed(request, f"replay_prompt_differs: {what}")
            try:
                return _again(found, request, stage, other)
            except (BlobDamaged, MalformedDocument, PathRefused) as error:
                return _failed(request, f"replay_damaged: {error}")

    def _find(self, stage: Stage) -> str:
        """Return where the other run lies; raises `RunNotFound`, also for this very run."""
        runsdir = os.path.dirname(stage.run.path)
        if self._run == LAST:
            others = [row for row in list_runs(runsdir) if row.path != stage.run.path]
            if others:
                return others[-1].path
        path = find_run(self._run, runsdir)
        if identity(path) == identity(stage.run.path):
            raise RunNotFound("a run cannot be played from itself", where=path)
        return path


def read_answers(run: RunDirectory) -> dict[tuple[str, int], Recorded]:
    """Return what agents were asked in a run and answered, by node and call."""
    asked: dict[str, AgentRequest] = {}
    answers: dict[tuple[str, int], Recorded] = {}
    for _, fact in History.read(run).lines():
        if isinstance(fact, StageStarted) and isinstance(fact.request, AgentRequest):
            asked[fact.request.id] = fact.request
        elif isinstance(fact, RequestAnswered) and fact.ack.request_id in asked:
            request = asked[fact.ack.request_id]
            answers[fact.node, request.call] = Recorded(request, fact)
    return answers


def _again(found: Recorded, request: AgentRequest, stage: Stage, other: RunDirectory) -> Ack:
    """Change what was changed there and tell what was told there; nothing is spent."""
    answered = found.answered
    where = f"{other.path}/{answered.diff.path}"
    changes = decode(other.read_evidence(answered.diff), WorkspaceDiff, where=where).changes
    responses = [item for item in answered.ack.evidence if layout.is_response(item.path)]
    texts = [other.read_evidence(item).decode(errors="replace") for item in responses]
    if reason := _obstacle(changes, stage, other):
        return _failed(request, reason)
    _apply(changes, stage, other)
    differs = found.request.prompt.sha256 != request.prompt.sha256
    origin = Replayed(
        run_id=other.run_id,
        request_id=found.request.id,
        prompt_sha256=found.request.prompt.sha256,
        prompt_differs=differs,
        changes=len(changes),
    )
    evidence = [stage.folder.write(layout.RESPONSE, text) for text in texts]
    evidence.append(stage.folder.write(layout.REPLAYED, encode_pretty(origin)))
    note = f"replayed from {found.request.id} of run {other.run_id}"
    note += ", whose prompt differs" if differs else ""
    ack = answered.ack
    return Ack(
        request_id=request.id,
        status=ack.status,
        exit_code=ack.exit_code,
        failure_reason=ack.failure_reason,
        failure_summary=ack.failure_summary,
        notes=f"{ack.notes}\n{note}".strip(),
        evidence=tuple(evidence),
        context_updates=ack.context_updates,
        verdicts=ack.verdicts,
    )


def _obstacle(changes: tuple[Change, ...], stage: Stage, other: RunDirectory) -> str:
    """Return why the changes cannot be made here; empty when they can."""
    for change in changes:
        path = str(RelPath.parse(change.path))
        here = stage.workspace.expected.get(path)
        if here not in (change.before, change.after):
            return f"replay_workspace_differs: {path} is not what it was before the answer"
        after = change.after
        if after is not None and after.kind not in _KINDS:
            return f"replay_not_kept: {path} is {after.reason or after.kind}"
        if after is not None and after.kind == "file":
            other.blobs.check(after.sha256)
    return ""


def _apply(changes: tuple[Change, ...], stage: Stage, other: RunDirectory) -> None:
    from custody.workspace.restore import Restoration

    expected = stage.workspace.expected
    after = {change.path: change.after for change in changes}
    wanted = {path: entry for path, entry in {**expected, **after}.items() if entry is not None}
    difference = {
        path: (entry, expected.get(path))
        for path, entry in after.items()
        if entry != expected.get(path)
    }
    Restoration(other.root, other.blobs).put_back(stage.workspace.root, difference, wanted)


def _failed(request: AgentRequest, reason: str) -> Ack:
    return Ack(request_id=request.id, status="failed", failure_reason=reason)


AGENT = AgentType(
    name="replay",
    doc="Gives the answers of another run again, with what they changed.",
    argument="RUN",
    settings=(
        setting("strict", "boolean", "Whether a prompt that differs from the recorded one fails."),
    ),
    make=ReplayAgent,
    starts_programs=False,
    parallel=True,
    waits=False,
)
