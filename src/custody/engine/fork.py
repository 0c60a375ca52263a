"""Branching: a new run that shares another's past up to a stage, and goes its own way."""

from __future__ import annotations

from msgspec.structs import replace

from custody.engine import level
from custody.engine.interruption import Interruption
from custody.engine.recording import Listener
from custody.engine.records import Records
from custody.engine.session import RunResult, Session
from custody.errors import UsageError
from custody.model import layout
from custody.model.confinement import ChosenLevel
from custody.model.event import AnyFact, JournalLine, Origin, StageStarted
from custody.model.graph import Pipeline
from custody.model.process_event import AgentReplaced, PipelineReplaced, RunResumed
from custody.store.journal import Journal, digest
from custody.store.rundir import RunDirectory
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
    with (
        Interruption() as interruption,
        RunDirectory.open(path, write=False) as parent,
        RunDirectory.create(runsdir, run_id) as run,
    ):
        records = Records(parent)
        pipeline = records.pipeline()
        shared = _lines_before(records, node)
        started = replace(
            records.genesis,
            pipeline_sha256=pipeline.sha256,
            parts=dict(pipeline.part_digests),
            forked_from=Origin(
                run_id=parent.run_id,
                seq=shared[-1].seq,
                head=digest(shared[-1]),
            ),
            confinement=_confinement(records, pipeline, agent, run.path),
        )
        parent.blobs.copy_to(run.blobs)
        run.write(layout.PIPELINE, pipeline.source, sync=True)
        journal = Journal.create(run.root, run_id)
        journal.append(started, role="engine", path=layout.PIPELINE)
        for line in shared[1:]:
            fact = line.fact()
            if isinstance(fact, PipelineReplaced):
                fact = _still_spent(fact, pipeline, journal.count - 1)
            for evidence in fact.evidence():
                data = parent.document if evidence.is_document else parent.read_evidence
                run.write(evidence.path, data(evidence), sync=True)
            journal.append(fact, role=line.role, path=line.path)
        if agent:
            journal.append(AgentReplaced(agent=agent), role="engine", path="")
        run.blobs.sync()
        journal.commit()
        run.publish()
        workspace = Workspace.reopen(run, started.workspace)
        session = Session(Records(run), pipeline, journal, workspace)
        return session.go(interruption, resumed=RunResumed(), listeners=listeners)


def _confinement(
    records: Records, pipeline: Pipeline, agent: str, folder: str
) -> ChosenLevel | None:
    """Return the level of the run that is forked; another agent may be the first to need one."""
    if records.confinement is None:
        return level.choose(pipeline, agent or records.genesis.agent, asked="", folder=folder)
    level.require(records.confinement, folder=folder)
    return records.confinement


def _lines_before(records: Records, node: str) -> list[JournalLine]:
    """Return the lines before the last time that ``node`` was entered, as far as they matter."""
    kept = [line for line in records.lines() if is_shared(line.fact())]
    entered = [
        index
        for index, line in enumerate(kept)
        if isinstance(fact := line.fact(), StageStarted) and fact.node == node and fact.attempt == 1
    ]
    if not entered:
        raise UsageError(
            f"run {records.run.run_id} never came to {node!r}",
            hint=f"custody show {records.run.run_id} lists its stages",
        )
    return kept[: entered[-1]]


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
