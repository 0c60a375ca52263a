"""Branching: a new run that shares another's past up to a stage, and goes its own way."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from custody.engine.interruption import Interruption
from custody.engine.records import PIPELINE_NAME, evidence_of, genesis, lines, recorded_pipeline
from custody.engine.session import RunResult, Session
from custody.engine.tape import Listener
from custody.errors import UsageError
from custody.model.event import (
    JournalLine,
    Origin,
    RunResumed,
    StageStarted,
)
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
        pipeline = recorded_pipeline(parent)
        shared = list(_lines_before(parent, node))
        started = replace(
            genesis(parent),
            pipeline_sha256=pipeline.sha256,
            forked_from=Origin(
                run_id=parent.run_id,
                seq=shared[-1].seq,
                head=digest(shared[-1]),
            ),
        )
        if agent:
            started = replace(started, agent=agent)
        parent.blobs.copy_to(run.blobs)
        run.write(PIPELINE_NAME, pipeline.source, sync=True)
        journal = Journal.create(run.root, run_id)
        journal.append(started, role="engine", path=PIPELINE_NAME)
        for line in shared[1:]:
            fact = line.fact()
            for evidence in evidence_of(fact):
                run.write(evidence.path, parent.read_evidence(evidence), sync=True)
            journal.append(fact, role=line.role, path=line.path)
        run.blobs.sync()
        journal.commit()
        run.publish()
        workspace = Workspace.reopen(run, started.workspace)
        session = Session(run, pipeline, journal, workspace)
        return session.go(interruption, resumed=RunResumed(), listeners=listeners)


def _lines_before(parent: RunDirectory, node: str) -> Iterator[JournalLine]:
    """Yield the decisions before the last time that ``node`` was entered."""
    decisions = [line for line in lines(parent) if line.fact().decision]
    entered = [
        index
        for index, line in enumerate(decisions)
        if isinstance(fact := line.fact(), StageStarted) and fact.node == node and fact.attempt == 1
    ]
    if not entered:
        raise UsageError(
            f"run {parent.run_id} never came to {node!r}",
            hint=f"custody show {parent.run_id} lists its stages",
        )
    yield from decisions[: entered[-1]]
