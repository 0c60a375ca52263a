"""What every surface calls. One function for each thing that a user can ask for.

Names of runs (``RUN``) are an id, a unique prefix of one, a run directory's path, or ``last``.

Every function may be called from any thread, several at the same time. Of two that write one run
the second raises `RunLocked`; who only looks waits for nobody. Listeners are called in the thread
of the call, an iterator belongs to one thread, and signals interrupt a run in the main thread only.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from custody.engine.recording import Listener
from custody.engine.result import RunResult
from custody.errors import RunExists, StorageFailed, UsageError
from custody.handlers import catalog
from custody.model.finding import Finding
from custody.model.graph import Pipeline
from custody.model.ingest import IngestSwitch
from custody.pipeline.read import load_pipeline, read_pipeline
from custody.pipeline.subpipeline_files import Library, PartText, is_packaged
from custody.store.index import check_run_id, find_run, list_runs, new_run_id
from custody.store.places import is_folder
from custody.store.starts import list_starts

if TYPE_CHECKING:
    from custody.engine.publish import Published
    from custody.engine.replay import Replay
    from custody.engine.verification import Verification
    from custody.engine.waiting import Waiting
    from custody.ingest.standalone import IngestedFile
    from custody.model.event import JournalLine
    from custody.pipeline.plan import PlannedNode
    from custody.scenarios import Scenario
    from custody.supervise.probe import Diagnosis
    from custody.views.attempts import Account
    from custody.views.changed import ChangedFile

DEFAULT_RUNSDIR = os.path.join(".custody", "runs")
DEFAULT_AGENT = "stub"

__all__ = [
    "RunResult",
    "account",
    "agents",
    "answer",
    "changes",
    "check",
    "doctor",
    "events",
    "fork",
    "inbox",
    "ingest",
    "lint_scenario",
    "list_runs",
    "list_starts",
    "load",
    "picture",
    "plan",
    "preflight",
    "publish",
    "redacted",
    "replay",
    "resume",
    "run",
    "save",
    "scaffold",
    "show",
    "verify",
    "waiting_request",
]


def load(name: str) -> Pipeline:
    """Return the pipeline in the file ``name``, or the packaged one of that name."""
    source, where = _source(name)
    return load_pipeline(source, catalog(), where, _library(name), name=_key(name))


def check(name: str) -> tuple[Pipeline | None, tuple[Finding, ...]]:
    """Return a pipeline and every finding about it; None when it cannot be read at all."""
    source, _where = _source(name)
    return read_pipeline(source, catalog(), _library(name), name=_key(name))


def run(
    pipeline: str,
    *,
    workdir: str = "",
    runsdir: str = DEFAULT_RUNSDIR,
    run_id: str = "",
    variables: Mapping[str, str] | None = None,
    agent: str = DEFAULT_AGENT,
    confinement: str = "",
    ingest: IngestSwitch = "off",
    resume_existing: bool = False,
    accept_change: bool = False,
    by_name: Collection[str] | None = None,
    look_first: bool = False,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Run a pipeline to its end.

    A run id that exists is refused, unless ``resume_existing`` says to go on with it. Programs
    are confined at the level that ``confinement`` names, else at the best one there is. Whether
    blocks of documents become files is said by ``ingest`` where no node or graph does. A run that
    is gone on with refuses other settings; what is not ``by_name`` is a default of the caller.
    With ``look_first`` a new run begins only if everything is there that it will need; raises
    `NotReady` else.
    """
    from custody.engine import begin, look_ahead
    from custody.engine.given import Given, named, refuse_unknown

    loaded, given = load(pipeline), dict(variables or {})
    refuse_unknown(given, loaded)
    look_ahead.refuse_unknown_agents(loaded, agent)
    run_id = check_run_id(run_id) if run_id else new_run_id()
    path = os.path.join(runsdir, run_id)
    if is_folder(path):
        if not resume_existing:
            raise RunExists(f"run {run_id} exists", where=runsdir, hint="--resume continues it")
        from custody.engine import resume as engine

        asked = Given(agent, workdir, given, confinement, ingest)
        return engine.resume(
            path,
            pipeline=loaded,
            accept_change=accept_change,
            given=named(asked, by_name, default=Given(agent=DEFAULT_AGENT, ingest="off")),
            listeners=listeners,
        )
    if look_first:
        look_ahead.require_ready(loaded, agent, os.environ, where=pipeline)
    return begin.begin(
        loaded,
        runsdir=runsdir,
        run_id=run_id,
        workdir=workdir,
        variables=given,
        agent=agent,
        confinement=confinement,
        ingest=ingest,
        listeners=listeners,
    )


def resume(
    run: str,
    *,
    runsdir: str = DEFAULT_RUNSDIR,
    pipeline: str = "",
    accept_change: bool = False,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Go on with a run; an ended one stays as it is and its result is returned."""
    from custody.engine import resume as engine

    return engine.resume(
        find_run(run, runsdir),
        pipeline=load(pipeline) if pipeline else None,
        accept_change=accept_change,
        listeners=listeners,
    )


def replay(run: str, *, runsdir: str = DEFAULT_RUNSDIR) -> Replay:
    """Play a run again from its recorded answers; raises `ReplayDiverged`."""
    from custody.engine import replay as engine
    from custody.engine.run_pipeline import pipeline_of
    from custody.store.history import History
    from custody.store.rundir import RunDirectory

    with RunDirectory.open(find_run(run, runsdir), write=False) as opened:
        history = History.read(opened)
        return engine.replay(history, pipeline_of(history))


def fork(
    run: str,
    node: str,
    *,
    runsdir: str = DEFAULT_RUNSDIR,
    run_id: str = "",
    agent: str = "",
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Start a run that shares another's past up to the last visit of ``node``."""
    from custody.engine import fork as engine

    return engine.fork(
        find_run(run, runsdir),
        node,
        runsdir=runsdir,
        run_id=check_run_id(run_id) if run_id else new_run_id(),
        agent=agent,
        listeners=listeners,
    )


def verify(
    run: str, *, runsdir: str = DEFAULT_RUNSDIR, rebuild: bool = False, head: str = ""
) -> Verification:
    """Check every claim of a run; with ``rebuild`` make its views anew, ``head`` must be in it."""
    from custody.engine import verify as engine

    return engine.verify(find_run(run, runsdir), rebuild=rebuild, head=head)


def redacted(variables: Mapping[str, str], agent: str = "") -> tuple[str, ...]:
    """Return the names of what holds a secret: a run that is given it has a mark in its place."""
    from custody.engine import redaction as engine

    return engine.passed_in(variables=variables, agent=agent).redacted


def _source(name: str) -> tuple[bytes, str]:
    """Return a pipeline's text and where it came from."""
    from custody.store.root import read_file

    if is_packaged(name):
        from custody.pipeline.library import packaged

        found = packaged(name)
        if found is not None:
            return found, f"{name} (packaged)"
    try:
        return read_file(name), name
    except StorageFailed as error:
        raise UsageError(f"no pipeline at {name!r}", hint=error.what) from error


def _key(name: str) -> str:
    """Return the name that a pipeline itself is kept under."""
    return name if is_packaged(name) else os.path.basename(name)


def _library(name: str) -> Library:
    """Return what finds the parts of a pipeline: packaged ones, and files from its folder on."""
    folder = os.path.dirname(name)

    def find(key: str) -> PartText:
        source, where = _source(key if is_packaged(key) else os.path.join(folder, key))
        return PartText(source, where)

    return find


def show(run: str, *, runsdir: str = DEFAULT_RUNSDIR) -> RunResult:
    """Return how a run went, or how far it has come by now."""
    from custody.engine import queries

    return queries.overview(find_run(run, runsdir))


def account(run: str, node: str, *, attempt: str = "", runsdir: str = DEFAULT_RUNSDIR) -> Account:
    """Return everything about one attempt at a stage; ``attempt`` is ``1.1``, or the last one."""
    from custody.engine import queries

    return queries.account(find_run(run, runsdir), node, attempt)


def events(
    run: str, *, runsdir: str = DEFAULT_RUNSDIR, follow: bool = False
) -> Iterator[JournalLine]:
    """Yield the lines of a run's journal; with ``follow`` those to come too, until it has ended."""
    from custody.engine import queries

    return queries.events(find_run(run, runsdir), following=follow)


def changes(run: str, node: str = "", *, runsdir: str = DEFAULT_RUNSDIR) -> Iterator[ChangedFile]:
    """Yield what a run has changed by now, or what each attempt at one of its stages did."""
    from custody.engine import queries

    return queries.changes(find_run(run, runsdir), node)


def publish(run: str, folder: str, *, runsdir: str = DEFAULT_RUNSDIR) -> Published:
    """Copy the documents and changed files of a run that passed; raises `Refused`."""
    from custody.engine import publish as engine

    return engine.publish(find_run(run, runsdir), folder)


def agents() -> dict[str, str]:
    """Return how every agent is named, and what it does; of one that cannot be loaded, why not."""
    from custody.executors.registry import described

    return described()


def doctor(runsdir: str = DEFAULT_RUNSDIR) -> Diagnosis:
    """Return how well runs in a folder can be confined on this machine, and why not better.

    The folder counts: not every file system can carry a workspace at L3. One that is not there yet
    is judged by the folder above it that is. Raises `StorageFailed` when nothing can be made there.
    """
    from custody.store.places import nearest_folder
    from custody.supervise.probe import diagnose

    return diagnose(nearest_folder(runsdir))


def scaffold(folder: str, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Write new files into a folder, made where it is missing; where one exists, none is."""
    from custody.store.places import make_folder
    from custody.store.root import Root

    make_folder(folder)
    with Root.open(folder) as root:
        for name in files:
            if root.exists(name):
                raise UsageError(f"{name} exists", where=folder, hint="choose another folder")
        for name, data in files.items():
            root.create(name, data)
    return tuple(os.path.normpath(os.path.join(folder, name)) for name in files)


def plan(name: str) -> tuple[Pipeline, list[PlannedNode]]:
    """Return a pipeline, and what a run of it would do in which order."""
    from custody.pipeline.plan import explain

    pipeline = load(name)
    return pipeline, explain(pipeline)


def picture(name: str, form: str) -> str:
    """Return a pipeline drawn as ``text``, or in one form of DOT."""
    from custody.pipeline.picture import to_dot, to_text

    return to_text(load(name)) if form == "text" else to_dot(load(name))


def save(path: str, data: bytes) -> None:
    """Put a file where the user wants it, whole or not at all."""
    from custody.store.root import Root

    folder, name = os.path.split(path)
    with Root.open(folder or os.curdir) as root:
        root.write(name, data)


def preflight(
    scripts: Sequence[str], *, live: bool = False, timeout: float = 600.0
) -> tuple[tuple[Scenario, ...], int]:
    """Run scenario scripts, selftest first; return what came of each, and one exit code."""
    from custody.scenarios import preflight as scenarios

    results = tuple(
        scenarios.preflight(script, os.environ, live=live, timeout=timeout) for script in scripts
    )
    return results, scenarios.overall(results)


def lint_scenario(script: str) -> tuple[Finding, ...]:
    """Return every finding about a scenario script."""
    from custody.scenarios.lint import lint
    from custody.store.places import is_program
    from custody.store.root import read_file

    source = read_file(script).decode(errors="replace")
    return lint(source, executable=is_program(script))


def ingest(document: str, *, project: str) -> IngestedFile:
    """Ingest a document that no run wrote: its blocks become new files of ``workspace/``."""
    from custody.ingest.standalone import ingest_file

    return ingest_file(document, project)


def inbox(*, runsdir: str = DEFAULT_RUNSDIR) -> list[Waiting]:
    """Return what waits for a person, over all runs."""
    from custody.engine import waiting

    return waiting.inbox(runsdir)


def waiting_request(request: str, *, runsdir: str = DEFAULT_RUNSDIR) -> Waiting:
    """Return the one request of that name that waits; raises `RunNotFound`."""
    from custody.engine import waiting

    return waiting.named(request, waiting.inbox(runsdir))


def answer(request: str, text: str, *, runsdir: str = DEFAULT_RUNSDIR) -> Waiting:
    """Hand in the answer to a request, once; the run goes on with it when it is resumed."""
    from custody.engine import waiting

    return waiting.answer(request, text, runsdir)
