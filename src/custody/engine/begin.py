"""How a run comes to be: fresh from a pipeline, or as a fork of another run."""

from __future__ import annotations

import os
import sys

from custody.engine import level
from custody.engine.given import Given, passed_in_all
from custody.engine.interruption import Interruption
from custody.engine.live_run import LiveRun
from custody.engine.recording import Listener
from custody.engine.result import RunResult
from custody.errors import PathRefused
from custody.executors.document import write_document
from custody.model import layout
from custody.model.confinement import ChosenLevel
from custody.model.event import PipelineStarted
from custody.model.graph import Pipeline
from custody.store.history import History
from custody.store.journal import Journal
from custody.store.places import identity, is_folder, require_utf8
from custody.store.rundir import RunDirectory
from custody.version import VERSION
from custody.views.writer import write_opening
from custody.workspace.workspace import Workspace


def versions() -> dict[str, str]:
    """Return the versions that a run's behaviour may depend on."""
    system = os.uname()
    return {
        "custody": VERSION,
        "python": sys.version.partition(" ")[0],
        "system": f"{system.sysname} {system.release}",
    }


def _workspace_at(workdir: str, told: str, chosen: ChosenLevel | None) -> str:
    """Return where programs see the workspace at L3; what is told of its source may be redacted."""
    if chosen is None or chosen.level != "L3":
        return ""
    from custody.sandbox.place import place_of

    return place_of(workdir if workdir == told else "").path


def _require_folder(workdir: str) -> None:
    """Raise `PathRefused` for a source that is no folder, or whose path no record could hold."""
    require_utf8(os.path.abspath(workdir))
    if identity(workdir) is None or not is_folder(workdir):
        hint = "--workdir names what is copied, or `workdir` in custody.toml"
        raise PathRefused("missing", "there is no such folder", where=workdir, hint=hint)


def begin(
    pipeline: Pipeline,
    given: Given,
    *,
    runsdir: str,
    run_id: str,
    exclude: tuple[str, ...] = (),
    output_limit: int | None = None,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Start a run with what is given, and take it to its end.

    What the patterns in ``exclude`` fit is not copied from the source.
    """
    passed, workdir = passed_in_all(given, run_id), given.workdir
    if workdir:
        _require_folder(workdir)
    with Interruption() as interruption, RunDirectory.create(runsdir, run_id) as run:
        run.blobs.put(pipeline.source)
        for source in pipeline.sources.values():
            run.blobs.put(source)
        with interruption.leaving(f"the start of run {run_id}"):
            workspace = Workspace.create(run, workdir or None, omit=(runsdir,), exclude=exclude)
        run.write(layout.PIPELINE, pipeline.source, sync=True)
        handed_in = [write_document(run, path, data) for path, data in passed.documents.items()]
        asked = given.confinement
        chosen = level.choose(pipeline, passed.agent, passed.roles, asked=asked, folder=run.path)
        started = PipelineStarted(
            pipeline=pipeline.name,
            pipeline_sha256=pipeline.sha256,
            decided_as=run_id,
            goal=pipeline.goal,
            variables={**pipeline.variables, **passed.variables},
            agent=passed.agent,
            workdir=passed.workdir,
            workspace=workspace.base,
            versions=versions(),
            confinement=chosen,
            parts=dict(pipeline.part_digests),
            ingest=given.ingest or "off",
            workspace_at=_workspace_at(workdir, passed.workdir, chosen),
            warnings=pipeline.warnings,
            output_limit=output_limit,
            documents=tuple(document.sealed() for document in handed_in),
            roles=passed.roles,
        )
        journal, history = Journal.create(run.root, run_id), History(run)
        first = journal.append(started, role="engine", path=layout.PIPELINE)
        history.note(first, started)
        run.blobs.sync()
        journal.commit()
        write_opening(run, first, started)
        run.publish()
        for listener in listeners:
            listener(first, started)
        workspace.remember_source()
        live = LiveRun(history, pipeline, journal, workspace)
        return live.go(interruption, listeners=listeners)
