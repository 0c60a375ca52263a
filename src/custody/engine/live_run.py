"""A run in the hands of this process: journal, workspace, engine and views put together.

A run that begins, one that is resumed and one that is forked differ only in what the journal
holds by then. The engine is taken over those facts, once, and goes on from there; on the way the
views are made anew, and whatever else must be seen to for each fact is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import closing

from msgspec.structs import replace

from custody.checks.guards.secrets import Redactor, redactor_for
from custody.engine import level
from custody.engine.effects import Effects
from custody.engine.interruption import Interruption
from custody.engine.loop import Engine
from custody.engine.recording import Listener, Recording
from custody.engine.result import RunResult
from custody.errors import AnswerAwaited, Interrupted
from custody.executors.dispatch import Dispatch
from custody.model import layout
from custody.model.attempt_event import AttemptLost
from custody.model.event import AnyFact, Heard, PipelineStarted
from custody.model.graph import Pipeline
from custody.model.process_event import RunInterrupted, RunResumed, RunWaiting
from custody.store.history import History
from custody.store.journal import Journal
from custody.views.follower import Follower
from custody.views.writer import ViewWriter
from custody.workspace.workspace import Workspace

RESTORED_SHOWN = 100


class LiveRun:
    """Holds a run that is locked by this process."""

    def __init__(
        self,
        history: History,
        pipeline: Pipeline,
        journal: Journal,
        workspace: Workspace,
        *,
        resumed: RunResumed | None = None,
        repair: Callable[[AnyFact], None] | None = None,
        lost: tuple[AttemptLost, ...] = (),
    ) -> None:
        """Get ready. ``resumed`` is told before the first new fact of a run that was taken up.

        ``repair`` sees to the files of every recorded fact before the engine comes to it, and
        ``lost`` is what a process was at work on that was killed.
        """
        self._run = history.run
        self._history = history
        self._pipeline = pipeline
        self._journal = journal
        self._workspace = workspace
        self._resumed = resumed
        self._repair = repair
        self._lost = lost
        self._views = ViewWriter(self._run, history.changes_of)
        self._follower = Follower(self._views)

    def go(self, interruption: Interruption, *, listeners: tuple[Listener, ...] = ()) -> RunResult:
        """Take the run to its end, or to where a person must answer before it can go on.

        Raises `Interrupted` when it is told to stop.
        """
        redactor = redactor_for(os.environ)
        self._interruption = interruption
        with (
            closing(self._journal),
            closing(self._workspace),
            closing(self._dispatch(redactor)) as dispatch,
            closing(self._follower),
            closing(self._recorded()) as recorded,
        ):
            recording = Recording(
                recorded,
                self._journal,
                version=self._journal.version,
                go_live=self._take_up,
                listeners=(self._follower.hear, *listeners),
                committed=self._follower.committed,
            )
            lost = self._lost_seconds()
            effects = Effects(
                self._history, self._workspace, dispatch, interruption, redactor, lost=lost
            )
            return self._go(effects, recording, interruption)

    def _dispatch(self, redactor: Redactor) -> Dispatch:
        workdir = self._history.genesis.workdir
        source = os.path.abspath(workdir) if workdir else ""
        return Dispatch(self._run.root, self._history.sessions, redactor, source)

    def _go(self, effects: Effects, recording: Recording, interruption: Interruption) -> RunResult:
        try:
            Engine(self._pipeline, recording, effects).run(self._history.genesis)
            self._tell_of_torn_bytes(recording)
        except AnswerAwaited as awaited:
            effects.leave("waiting", recording.tell)
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
            self._follower.catch_up()
            return self._result(waiting=awaited.request_id)
        except KeyboardInterrupt:
            effects.leave("interrupted", recording.tell)
            recording.write(RunInterrupted(reason=interruption.requested or "interrupted"))
            recording.commit()
            raise Interrupted(
                f"run {self._run.run_id} was interrupted",
                hint=f"custody resume {self._run.run_id}",
            ) from None
        workspace = self._workspace.tree()
        self._run.blobs.sync()
        self._follower.catch_up()
        self._views.finish(self._journal.position, workspace)
        return self._result()

    def _lost_seconds(self) -> dict[str, float]:
        """Return what requests have lost by a crash that are still to be carried out."""
        if not self._lost:
            return {}
        due = {request.id for request in self._history.open_requests()}
        return {one.request_id: one.spent.seconds for one in self._lost if one.request_id in due}

    def _recorded(self) -> Generator[Heard]:
        """Yield the recorded lines, each when the views have it and its files are whole."""
        for line, fact in self._history.lines():
            if isinstance(fact, PipelineStarted):
                self._views.begin(line, fact)
            self._follower.hear(line, fact)
            if self._repair is not None:
                self._repair(fact)
            yield line, fact

    def _take_up(self, recording: Recording) -> None:
        """Put the workspace of a resumed run where the journal says it is, and say so."""
        if self._resumed is None:
            return
        level.require(self._history.confinement, folder=self._run.path)
        from custody.store.cache_folders import CacheFolders

        CacheFolders(self._run.root).sweep()
        if self._run.root.exists(layout.HOMES):
            self._run.root.remove_tree(layout.HOMES)
        if self._run.root.exists(layout.LAYERS):
            self._workspace.sort_out_layers(self._history.layers(self._workspace.layered()))
        chosen = self._history.confinement
        in_place = chosen is not None and chosen.level != "L3"
        with self._interruption.allowed():
            restored = self._workspace.restore(unrecorded=in_place)
        shown = tuple(restored[:RESTORED_SHOWN])
        recording.write(replace(self._resumed, restored=shown, restored_count=len(restored)))
        for one in self._lost:
            recording.note(one, path=layout.request_folder(one.request_id))

    def _tell_of_torn_bytes(self, recording: Recording) -> None:
        """Tell what was cut off a run that had ended: nothing else is new."""
        if self._resumed is not None and self._resumed.torn_bytes and not recording.live:
            recording.write(self._resumed)
            recording.commit()

    def _result(self, waiting: str = "") -> RunResult:
        summary = self._views.summary(self._journal.head)
        return RunResult(
            run_id=self._run.run_id,
            path=self._run.path,
            summary=summary,
            waiting=waiting,
            source=self._history.genesis.workdir,
            state="WAITING" if waiting else summary.status,
            confinement=self._history.confinement,
        )
