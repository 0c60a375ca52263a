"""Continuing an interrupted run: after a crash, a Ctrl-C, or with a changed pipeline.

The journal is read twice, however long it is: once to prove it, to write it anew and to learn
what it holds, and once to take the engine over it. A changed pipeline costs a third reading: how
far the recorded work agrees with it is found out by an engine whose state is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial

from custody.engine import level
from custody.engine.cached import asks_agent, cached_by
from custody.engine.given import Given, refuse_others
from custody.engine.interruption import Interruption
from custody.engine.live_run import LiveRun
from custody.engine.lost import lost_attempts
from custody.engine.outlived import refuse_outlived
from custody.engine.queries import overview_of
from custody.engine.recording import Listener
from custody.engine.repair import put_back_documents, put_back_texts, set_aside_attempts
from custody.engine.replay import play
from custody.engine.result import RunResult
from custody.engine.run_pipeline import pipeline_of
from custody.engine.verify import whole_end
from custody.engine.waiting import still_waits, take_targets
from custody.errors import JournalBroken, MalformedDocument, PathRefused, PipelineChanged
from custody.model import layout
from custody.model.documents import Checkpoint, Manifest
from custody.model.event import Heard, StageCompleted, StageStarted
from custody.model.graph import Pipeline, same_sources
from custody.model.process_event import AgentReplaced, PipelineReplaced, RunResumed
from custody.store.cache_folders import CacheFolders
from custody.store.history import History
from custody.store.journal import Journal
from custody.store.recovery import Recovery
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace


# BEHAVIOR_ID: B010
def resume(
    path: str,
    *,
    pipeline: Pipeline | None = None,
    accept_change: bool = False,
    given: Given | None = None,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Take a run to its end; finished stages are not run again, and an ended run stays as it is.

    ``pipeline`` is what the caller believes the run is of. Another one than the run's own is
    refused with a list of what differs, unless ``accept_change`` is set. So is what is ``given``
    and not what the run was begun with. A run that still waits for a person is left as it is.
    """
    with Interruption() as interruption, RunDirectory.open(path, write=True) as run:
        if (ended := _ended(run, pipeline, given)) is not None:
            return ended
        run.sweep()
        history = History(run)
        with Recovery(run.root, run.run_id, history.add) as recovery:
            refuse_lost_lines(history, recovery)
            refuse_others(given or Given(), history)
            refuse_outlived(history)
            take_targets(history)
            if pipeline is None and still_waits(history):
                return overview_of(history, state="WAITING")
            lost = lost_attempts(history)
            journal, torn = recovery.settle(), recovery.torn
        with closing(journal):
            current = _current_pipeline(history, journal, pipeline, accept_change=accept_change)
            _refuse_lines_beyond_the_end(history)
            if history.replaced:
                set_aside_attempts(history)
            put_back_documents(run, history.documents())
            live = LiveRun(
                history,
                current,
                journal,
                Workspace.reopen(run, history.genesis.workspace),
                resumed=RunResumed(torn_bytes=torn),
                repair=partial(put_back_texts, run),
                lost=lost,
            )
            return live.go(interruption, listeners=listeners)


def _ended(run: RunDirectory, pipeline: Pipeline | None, given: Given | None) -> RunResult | None:
    """Return the result of a run that has ended, and of which nothing is missing.

    Its manifest is the last thing that an end writes. One that was cut short, or of which files
    were lost, is taken up, and so is a run that is to go on with another pipeline.
    """
    try:
        manifest = run.read_document(layout.MANIFEST, Manifest)
        reached = run.read_document(layout.CHECKPOINT, Checkpoint)
        size = run.root.stat(layout.EVENTS).st_size
    except (PathRefused, MalformedDocument):
        return None
    if manifest.status == "RUNNING" or reached.offset != size:
        return None
    if pipeline is not None and (pipeline.sha256, pipeline.part_digests) != (
        reached.pipeline_sha256,
        manifest.parts or {},
    ):
        return None
    whole = whole_end(run)
    if whole is None:
        return None
    refuse_others(given or Given(), whole.history)
    return whole.result()


def refuse_lost_lines(history: History, recovery: Recovery) -> None:
    """Raise `JournalBroken` when the journal ends before the checkpoint says it did.

    A checkpoint is written after the lines it counts are durable, so no crash explains that.
    One that cannot be read says nothing: it is made again. A last line without its end, or with
    holes in it, is not lost in silence: it is cut off, and the run tells so.
    """
    run = history.run
    try:
        reached = run.read_document(layout.CHECKPOINT, Checkpoint)
    except (PathRefused, MalformedDocument):
        return
    if recovery.holes or history.reaches(reached.head, reached.events):
        return
    if recovery.torn and history.count == reached.events - 1:
        return
    raise JournalBroken(
        "head_mismatch",
        f"it does not reach line {reached.events}, where {layout.CHECKPOINT} saw it",
        where=f"{run.path}/{layout.EVENTS}",
    )


def _refuse_lines_beyond_the_end(history: History) -> None:
    if history.beyond_end:
        where = f"{history.run.path}/{layout.EVENTS}:{history.beyond_end + 1}"
        raise JournalBroken("head_mismatch", "a line stands after the run's end", where=where)


def _current_pipeline(
    history: History, journal: Journal, given: Pipeline | None, *, accept_change: bool
) -> Pipeline:
    """Return the pipeline to go on with, and let the run directory show it."""
    current = pipeline_of(history)
    if given is not None and not same_sources(given, current):
        _replace(history, journal, current, given, accept_change=accept_change)
        current = given
    if history.run.root.read(layout.PIPELINE) != current.source:
        history.run.write(layout.PIPELINE, current.source, sync=True)
    return current


def _replace(
    history: History, journal: Journal, old: Pipeline, new: Pipeline, *, accept_change: bool
) -> None:
    """Go over to another pipeline, keeping the work that it would have done just so."""
    from custody.pipeline.difference import changed_nodes

    run = history.run
    if not accept_change:
        differences = "\n".join(f"  {item}" for item in changed_nodes(old, new))
        raise PipelineChanged(
            f"the pipeline is not the one this run was started with:\n{differences}",
            where=run.run_id,
            hint="--accept-pipeline-change continues with it and reuses what is unchanged",
        )
    kept_seq, reused, asked = _reusable(history, old, new)
    if not asked and not cached_by(history, kept_seq):
        CacheFolders(run.root).drop()
    agent, chosen = history.agent, history.confinement
    if chosen is None:
        chosen = level.choose(new, agent, history.genesis.roles, asked="", folder=run.path)
    run.blobs.put(new.source)
    for source in new.sources.values():
        run.blobs.put(source)
    run.blobs.sync()
    replaced = PipelineReplaced(
        old_sha256=old.sha256,
        new_sha256=new.sha256,
        kept_seq=kept_seq,
        reused=reused,
        discarded=history.spent_after(kept_seq),
        confinement=None if chosen == history.genesis.confinement else chosen,
        parts=dict(new.part_digests),
        warnings=new.warnings,
    )
    history.note(journal.append(replaced, role="engine", path=layout.PIPELINE), replaced)
    if history.agent != agent:
        still = AgentReplaced(agent=agent)  # who was asked before is asked still
        history.note(journal.append(still, role="engine", path=""), still)
    journal.commit()


def _reusable(history: History, old: Pipeline, new: Pipeline) -> tuple[int, tuple[str, ...], bool]:
    """Return the last line that holds under the new pipeline, and the nodes finished by then.

    Tells as well whether an agent was asked by then.
    """
    from custody.pipeline.difference import same_node

    finished: dict[str, int] = {}
    agents: list[int] = []

    def unchanged() -> Iterator[Heard]:
        for line, fact in history.lines():
            if isinstance(fact, StageStarted) and not same_node(old, new, fact.node):
                return
            if isinstance(fact, StageCompleted):
                finished.setdefault(fact.node, line.seq)
            if asks_agent(fact):
                agents.append(line.seq)
            yield line, fact

    kept = play(history, new, unchanged()).agreed_seq
    done = tuple(sorted(node for node, seq in finished.items() if seq <= kept))
    return kept, done, any(seq <= kept for seq in agents)
