"""Branching: a new run that shares another's past up to a stage, and goes its own way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from msgspec.structs import replace

from custody.engine import level
from custody.engine.cached import asks_agent, cached_by
from custody.engine.interruption import Interruption
from custody.engine.live_run import LiveRun
from custody.engine.recording import Listener
from custody.engine.redaction import passed_in
from custody.engine.result import RunResult
from custody.engine.run_pipeline import pipeline_of
from custody.errors import UsageError
from custody.model import layout
from custody.model.confinement import ChosenLevel
from custody.model.event import AnyFact, Origin, PipelineStarted
from custody.model.graph import Pipeline
from custody.model.process_event import AgentReplaced, PipelineReplaced, RunResumed
from custody.store.blob_sharing import share
from custody.store.cache_folders import CacheFolders
from custody.store.history import History
from custody.store.journal import Journal
from custody.store.rundir import RunDirectory
from custody.views.writer import write_opening
from custody.workspace.workspace import Workspace


def fork(
    path: str,
    node: str,
    *,
    runsdir: str,
    run_id: str,
    agent: str = "",
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Start a run whose facts are those of another before its last visit of ``node``."""
    agent = passed_in(variables={}, agent=agent, run_id=run_id).agent
    with (
        Interruption() as interruption,
        RunDirectory.open(path, write=False) as parent,
        RunDirectory.create(runsdir, run_id) as run,
    ):
        past = History.read(parent)
        pipeline = pipeline_of(past)
        origin = _origin(past, node)
        started = replace(
            past.genesis,
            pipeline_sha256=pipeline.sha256,
            parts=dict(pipeline.part_digests),
            forked_from=origin,
            confinement=_confinement(past, pipeline, agent, run.path),
        )
        share(parent.blobs, run.blobs)
        run.write(layout.PIPELINE, pipeline.source, sync=True)
        history = History(run)
        with closing(Journal.create(run.root, run_id, version=past.version)) as journal:
            asked = _share(past, started, pipeline, history, journal)
            if (wanted := agent or past.agent) != history.agent:
                replaced = AgentReplaced(agent=wanted)
                history.note(journal.append(replaced, role="engine", path=""), replaced)
            run.blobs.sync()
            journal.commit()
            first, _started = next(history.lines(0, 0))
            write_opening(run, first, started)
            run.publish()
            if asked or cached_by(past, origin.seq):
                CacheFolders(run.root).take_over(parent.root)
            workspace = Workspace.reopen(run, started.workspace)
            with interruption.leaving(f"run {run_id}", hint=f"custody resume {run_id}"):
                workspace.build()
            live = LiveRun(history, pipeline, journal, workspace, resumed=RunResumed())
            return live.go(interruption, listeners=listeners)


def _origin(past: History, node: str) -> Origin:
    """Return the last line that a fork before the last visit of ``node`` shares."""
    entered = past.last_visit(node)
    if entered is None:
        raise UsageError(
            f"run {past.run.run_id} has no stage {node!r}",
            hint=f"`custody show {past.run.run_id}` lists its stages",
        )
    seq = next(line.seq for line, fact in past.lines_before(entered) if is_shared(fact))
    return Origin(run_id=past.run.run_id, seq=seq, head=past.digest(seq))


def _confinement(past: History, pipeline: Pipeline, agent: str, folder: str) -> ChosenLevel | None:
    """Return the level of the run that is forked; another agent may be the first to need one."""
    if past.confinement is None:
        roles = past.genesis.roles
        return level.choose(pipeline, agent or past.agent, roles, asked="", folder=folder)
    level.require(past.confinement, folder=folder)
    return past.confinement


def _share(
    past: History,
    started: PipelineStarted,
    pipeline: Pipeline,
    history: History,
    journal: Journal,
) -> bool:
    """Write the facts that a fork shares into its journal, and the files that they name.

    Tells whether an agent is asked in them.
    """
    parent, run = past.run, history.run
    asked = False
    last = 0 if started.forked_from is None else started.forked_from.seq

    def shared() -> Iterator[tuple[str, bytes]]:
        nonlocal asked
        for line, recorded in past.lines(last=last):
            if not is_shared(recorded):
                continue
            fact = recorded
            if isinstance(fact, PipelineStarted):
                fact = started
            elif isinstance(fact, PipelineReplaced):
                fact = _still_spent(fact, pipeline, journal.count - 1)
            yield from _files_of(fact, parent)
            history.note(journal.append(fact, role=line.role, path=line.path), fact)
            asked |= asks_agent(fact)

    run.write_durably(shared())
    return asked


def _files_of(fact: AnyFact, parent: RunDirectory) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a fact names, but for short ones of attempts: the views write those."""
    for evidence in fact.evidence():
        if evidence.text is None or not layout.is_attempt_file(evidence.path):
            data = parent.document if evidence.is_document else parent.read_evidence
            yield evidence.path, data(evidence)


def is_shared(fact: AnyFact) -> bool:
    """Whether a fork has the fact: a changed pipeline is the fork's own, unless work was lost."""
    if isinstance(fact, PipelineReplaced):
        return bool(fact.discarded)
    return fact.traits.shared_by_fork


def _still_spent(fact: PipelineReplaced, pipeline: Pipeline, seq: int) -> PipelineReplaced:
    """Return the fact as a fork knows it: no line is set aside, but what they cost still counts."""
    return replace(
        fact,
        old_sha256=pipeline.sha256,
        new_sha256=pipeline.sha256,
        kept_seq=seq,
        parts=dict(pipeline.part_digests),
    )
