"""One process at work on one run: the journal, the workspace and the views put together.

A run that begins, one that is resumed and one that is forked differ only in what its journal
holds when the session opens. The engine is taken over those facts and goes on from there.
"""

from __future__ import annotations

from contextlib import closing

from custody.engine import level
from custody.engine.effects import Effects
from custody.engine.interruption import Interruption
from custody.engine.loop import Engine
from custody.engine.recording import Listener, Recording
from custody.engine.records import Records
from custody.errors import AnswerAwaited, Interrupted
from custody.executors.dispatch import Dispatch
from custody.model import layout
from custody.model.documents import Summary
from custody.model.graph import Pipeline
from custody.model.process_event import RunInterrupted, RunResumed, RunWaiting
from custody.model.record import Record
from custody.store.journal import Journal
from custody.views.collect import Collector
from custody.views.rebuild import rebuild
from custody.views.writer import ViewWriter
from custody.workspace.workspace import Workspace

RESTORED_SHOWN = 100


class RunResult(Record, frozen=True):
    """How a run ended."""

    run_id: str
    path: str
    summary: Summary
    waiting: str = ""
    """The request that a person must answer before the run can go on; empty when there is none."""


class Session:
    """Holds a run that is locked by this process."""

    def __init__(
        self,
        records: Records,
        pipeline: Pipeline,
        journal: Journal,
        workspace: Workspace,
    ) -> None:
        self._run = records.run
        self._records = records
        self._pipeline = pipeline
        self._journal = journal
        self._workspace = workspace

    def go(
        self,
        interruption: Interruption,
        *,
        resumed: RunResumed | None = None,
        listeners: tuple[Listener, ...] = (),
    ) -> RunResult:
        """Take the run to its end, or to where a person must answer before it can go on.

        Raises `Interrupted` when it is told to stop.
        """
        with (
            closing(self._journal),
            closing(self._workspace),
            closing(Dispatch()) as dispatch,
        ):
            return self._go(dispatch, interruption, resumed, listeners)

    def _go(
        self,
        dispatch: Dispatch,
        interruption: Interruption,
        resumed: RunResumed | None,
        listeners: tuple[Listener, ...],
    ) -> RunResult:
        effects = Effects(self._records, self._workspace, dispatch, interruption)
        collector = rebuild(self._run, self._records.lines(), self._records.changes_of)
        views = ViewWriter(self._run, self._journal, collector, self._records.changes_of)
        views.open()
        recording = Recording(
            self._records.lines(),
            self._journal,
            listeners=(views.hear, *listeners),
            committed=views.committed,
        )
        if resumed is not None:
            recording.go_live = lambda: self._take_up(recording, resumed)
        try:
            Engine(self._pipeline, recording, effects).run(self._records.genesis)
            if resumed is not None and resumed.torn_bytes and not recording.live:
                recording.write(resumed)  # the run had ended, but what was cut off is told
                recording.commit()
        except AnswerAwaited as awaited:
            recording.write(
                RunWaiting(
                    node=layout.node_of(awaited.request_id),
                    request_id=awaited.request_id,
                    path=awaited.path,
                    answer=awaited.answer,
                ),
                path=awaited.path,
            )
            recording.commit()
            return self._result(collector, waiting=awaited.request_id)
        except KeyboardInterrupt:
            recording.write(RunInterrupted(reason=interruption.requested or "interrupted"))
            recording.commit()
            raise Interrupted(
                f"run {self._run.run_id} was interrupted",
                hint=f"custody resume {self._run.run_id}",
            ) from None
        workspace = self._workspace.tree()
        self._run.blobs.sync()
        views.close(workspace)
        return self._result(collector)

    def _result(self, collector: Collector, waiting: str = "") -> RunResult:
        return RunResult(
            run_id=self._run.run_id,
            path=self._run.path,
            summary=collector.summary(self._journal.head),
            waiting=waiting,
        )

    def _take_up(self, recording: Recording, resumed: RunResumed) -> None:
        """Put the workspace where the journal says it is, and say so."""
        level.require(self._records.confinement, folder=self._run.path)
        if self._run.root.exists(layout.HOMES):
            self._run.root.remove_tree(layout.HOMES)
        if self._run.root.exists(layout.LAYERS):
            self._workspace.sort_out_layers(self._records.layers())
        restored = self._workspace.restore()
        recording.write(
            RunResumed(
                torn_bytes=resumed.torn_bytes,
                restored=tuple(restored[:RESTORED_SHOWN]),
                restored_count=len(restored),
            )
        )
