"""Going on with a run that was left: after a crash, a Ctrl-C, or with a changed pipeline."""

from __future__ import annotations

from collections.abc import Iterator

from custody.engine import level
from custody.engine.interruption import Interruption
from custody.engine.queries import overview
from custody.engine.recording import Listener
from custody.engine.records import Records
from custody.engine.replay import play
from custody.engine.session import RunResult, Session
from custody.engine.waiting import waiting
from custody.errors import JournalBroken, MalformedDocument, PathRefused, PipelineChanged
from custody.model import layout
from custody.model.documents import Checkpoint
from custody.model.event import AnyFact, JournalLine, RequestAnswered, StageCompleted, StageStarted
from custody.model.graph import Pipeline, same_sources
from custody.model.process_event import PipelineReplaced, RunResumed
from custody.model.request import Spent
from custody.store.journal import Journal, digest, read_lines
from custody.store.rundir import RunDirectory
from custody.workspace.workspace import Workspace


def resume(
    path: str,
    *,
    pipeline: Pipeline | None = None,
    accept_change: bool = False,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Take a run to its end; finished stages are not run again, and an ended run stays as it is.

    ``pipeline`` is what the caller believes the run is of. Another one than the run's own is
    refused with a list of what differs, unless ``accept_change`` is set. A run that still waits
    for a person is left as it is.
    """
    awaited = waiting(path) if pipeline is None else None
    if awaited is not None and not awaited.answered:
        return overview(path)
    with Interruption() as interruption, RunDirectory.open(path, write=True) as run:
        run.sweep()
        refuse_lost_lines(run)
        journal, torn = Journal.recover(run.root, run.run_id)
        records = Records(run)
        recorded = records.pipeline()
        if pipeline is not None and not same_sources(pipeline, recorded):
            _replace(records, journal, recorded, pipeline, accept_change=accept_change)
            records, recorded = Records(run), pipeline
        if run.root.read(layout.PIPELINE) != recorded.source:
            run.write(layout.PIPELINE, recorded.source, sync=True)
        put_back_texts(records)
        put_back_documents(records)
        workspace = Workspace.reopen(run, records.genesis.workspace)
        session = Session(records, recorded, journal, workspace)
        return session.go(interruption, resumed=RunResumed(torn_bytes=torn), listeners=listeners)


def refuse_lost_lines(run: RunDirectory) -> None:
    """Raise `JournalBroken` when the journal ends before the checkpoint says it did.

    A checkpoint is written after the lines it counts are durable, so no crash explains that.
    One that cannot be read says nothing: it is made again. A last line without its end is not
    lost in silence: it is cut off, and the run tells so. Other faults are `Journal.recover`'s.
    """
    try:
        reached = run.read_document(layout.CHECKPOINT, Checkpoint)
    except (PathRefused, MalformedDocument):
        return
    whole = 0
    try:
        for line in read_lines(run.root, run_id=run.run_id):
            whole += 1
            if whole == reached.events and digest(line) == reached.head:
                return
    except JournalBroken as broken:
        if broken.code != "torn" or whole == reached.events - 1:
            return
    raise JournalBroken(
        "head_mismatch",
        f"it does not reach line {reached.events}, where {layout.CHECKPOINT} saw it",
        where=f"{run.path}/{layout.EVENTS}",
    )


def put_back_texts(records: Records) -> None:
    """Write the short files of a run's stages again where a power failure spoiled them.

    They are never synced, because the journal holds their texts.
    """
    for fact in _facts_until_the_end(records):
        for evidence in fact.evidence():
            if evidence.text is not None and layout.is_attempt_file(evidence.path):
                try:
                    whole = records.run.root.digest(evidence.path)[0] == evidence.sha256
                except PathRefused:
                    whole = False
                if not whole:
                    records.run.write(evidence.path, evidence.text.encode())


def put_back_documents(records: Records) -> None:
    """Write documents again that a stage replaced whose answer does not count.

    One that no stage has written is set aside: it was written for an answer that was never
    recorded, or that a changed pipeline has set aside.
    """
    run = records.run
    written = {
        evidence.path: evidence
        for line in records.lines()
        if isinstance(fact := line.fact(), RequestAnswered)
        for evidence in fact.ack.evidence
        if evidence.is_document
    }
    there = [path for path in run.files() if layout.is_document(path)]
    for path in there:
        if path not in written and not layout.is_set_aside(path):
            run.set_aside(path)
    for path, evidence in written.items():
        if path not in there or run.root.digest(path)[0] != evidence.sha256:
            run.write(path, run.document(evidence), sync=True)


def _facts_until_the_end(records: Records) -> Iterator[AnyFact]:
    """Yield the facts that count; raises `JournalBroken` when the run goes on after its end."""
    ended = False
    for line in records.lines():
        fact = line.fact()
        if ended and fact.traits.decision:
            where = f"{records.run.path}/{layout.EVENTS}:{line.seq + 1}"
            raise JournalBroken("head_mismatch", "it stands after the run's end", where=where)
        ended = ended or fact.traits.ends_run is not None
        yield fact


def _replace(
    records: Records, journal: Journal, old: Pipeline, new: Pipeline, *, accept_change: bool
) -> None:
    """Go over to another pipeline, keeping the work that it would have done just so."""
    from custody.pipeline.difference import changed_nodes

    if not accept_change:
        differences = "\n".join(f"  {item}" for item in changed_nodes(old, new))
        raise PipelineChanged(
            f"the pipeline is not the one this run was started with:\n{differences}",
            where=records.run.run_id,
            hint="--accept-pipeline-change goes on with it, re-using what is unchanged",
        )
    kept_seq, reused = _reusable(records, old, new)
    discarded = _spent_after(records, kept_seq)
    chosen = None
    if records.confinement is None:
        chosen = level.choose(new, records.genesis.agent, asked="", folder=records.run.path)
    records.run.blobs.put(new.source)
    for source in new.sources.values():
        records.run.blobs.put(source)
    records.run.blobs.sync()
    journal.append(
        PipelineReplaced(
            old_sha256=old.sha256,
            new_sha256=new.sha256,
            kept_seq=kept_seq,
            reused=reused,
            discarded=discarded,
            confinement=chosen,
            parts=dict(new.part_digests),
        ),
        role="engine",
        path=layout.PIPELINE,
    )
    journal.commit()


def _spent_after(records: Records, kept_seq: int) -> dict[str, Spent]:
    """Return what the lines cost that will no longer count, by node."""
    spent: dict[str, Spent] = {}
    for line in records.lines():
        fact = line.fact()
        if line.seq <= kept_seq:
            continue
        costs: dict[str, Spent] = {}
        if isinstance(fact, RequestAnswered):
            costs = {fact.node: fact.ack.spent()}
        elif isinstance(fact, PipelineReplaced):
            costs = fact.discarded
        for node, cost in costs.items():
            spent[node] = spent.get(node, Spent()).plus(cost)
    return spent


def _reusable(records: Records, old: Pipeline, new: Pipeline) -> tuple[int, tuple[str, ...]]:
    """Return the last line that holds under the new pipeline, and the nodes finished by then."""
    from custody.pipeline.difference import same_node

    def unchanged() -> Iterator[JournalLine]:
        for line in records.lines():
            fact = line.fact()
            if isinstance(fact, StageStarted) and not same_node(old, new, fact.node):
                return
            yield line

    kept = play(records, new, unchanged()).agreed_seq
    finished = {
        fact.node
        for line in records.lines()
        if line.seq <= kept and isinstance(fact := line.fact(), StageCompleted)
    }
    return kept, tuple(sorted(finished))
