"""What every surface calls. One function for each thing that a user can ask for.

Names of runs (``RUN``) are an id, a unique prefix of one, a run directory's path, or ``last``.

Every function may be called from any thread. Of two that write one run the second raises
`RunLocked`; who only looks waits for nobody. Listeners are called in the thread of the call, an
iterator belongs to one thread, and signals interrupt a run in the main thread only.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

from custody.engine.load import PipelineSource, check, load, named_by
from custody.engine.recording import Listener
from custody.engine.result import RunResult
from custody.model.finding import Finding
from custody.model.graph import Pipeline
from custody.model.ingest import IngestSwitch
from custody.store.index import check_run_id, find_run, list_runs, new_run_id
from custody.store.places import is_folder
from custody.store.starts import list_starts

if TYPE_CHECKING:
    from custody.engine.agent_trial import AgentTrial
    from custody.engine.apply import Applied
    from custody.engine.given import Given
    from custody.engine.publish import Published
    from custody.engine.removal import Pruning, Removal
    from custody.engine.replay import Replay
    from custody.engine.verification import Verification
    from custody.engine.waiting import Waiting
    from custody.executors.agents import Agent, AgentType
    from custody.ingest.standalone import IngestedFile
    from custody.model.event import JournalLine
    from custody.pipeline.plan import PlannedNode
    from custody.scaffold.project import Project
    from custody.scenarios import Scenario
    from custody.supervise.probe import Diagnosis
    from custody.views.attempts import Account
    from custody.views.changed import ChangedFile

Folder = str | os.PathLike[str]
AnyAgent: TypeAlias = "str | Agent | AgentType"
"""An agent by its name, with its argument behind a colon, or as an object."""

DEFAULT_RUNSDIR = os.path.join(".custody", "runs")

__all__ = [
    "RunResult", "account", "agents", "answer", "apply", "changes", "check", "doctor", "events",
    "fork", "inbox", "ingest", "lint_scenario", "list_runs", "list_starts", "load", "picture",
    "plan", "preflight", "project", "prune", "publish", "redacted", "remove", "replay", "resume",
    "run", "save", "scaffold", "show", "try_agent", "verify", "waiting_request",
]  # fmt: skip


def run(
    pipeline: PipelineSource,
    *,
    workdir: Folder = "",
    runsdir: Folder = DEFAULT_RUNSDIR,
    run_id: str = "",
    variables: Mapping[str, str] | None = None,
    agent: AnyAgent = "",
    confinement: str = "",
    ingest: IngestSwitch = "off",
    exclude: Sequence[str] = (),
    output_limit: int | None = None,
    roles: Mapping[str, str] | None = None,
    documents: Mapping[str, bytes] | None = None,
    resume_existing: bool = False,
    accept_change: bool = False,
    by_name: Collection[str] | None = None,
    look_first: bool = False,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Run a pipeline to its end: a file, a packaged one, DOT text, or one that was loaded.

    The agent is a name, or an object with the method of `Agent`. A run id that exists is refused
    unless ``resume_existing``; such a run refuses other settings, of which what is not ``by_name``
    is a default of the caller. ``confinement`` names a level; without it the best is taken.
    ``ingest`` and ``output_limit`` hold where no node or graph says otherwise, ``roles`` where a
    node names a role and no agent. What ``exclude`` fits is not copied; ``documents`` are the run's
    by path. With ``look_first`` all that it needs must be there; raises `NotReady`.
    """
    from custody.engine import begin
    from custody.engine.given import Given, admit, named

    runsdir, workdir = os.fspath(runsdir), os.fspath(workdir)
    with _known(agent) as asked:
        loaded = load(pipeline)
        more = (confinement, ingest, roles or {}, documents or {})
        given = admit(Given(asked, workdir, variables or {}, *more), loaded)
        run_id = check_run_id(run_id) if run_id else new_run_id()
        if is_folder(path := os.path.join(runsdir, run_id)):
            if not resume_existing:
                from custody.store.rundir import run_exists

                raise run_exists(run_id, path)
            return _go_on(path, loaded, named(given, by_name), accept_change, listeners)
        if look_first:
            from custody.engine.look_ahead import require_ready

            require_ready(loaded, asked, os.environ, given.roles, where=named_by(pipeline))
        return begin.begin(
            loaded,
            given,
            runsdir=runsdir,
            run_id=run_id,
            exclude=tuple(exclude),
            output_limit=output_limit,
            listeners=listeners,
        )


def resume(
    run: str,
    *,
    runsdir: str = DEFAULT_RUNSDIR,
    pipeline: PipelineSource = "",
    agent: AnyAgent = "",
    accept_change: bool = False,
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Go on with a run; an ended one stays as it is and its result is returned.

    A run whose agent is an object is gone on with by another object of the same class.
    """
    from custody.engine.given import Given

    with _known(agent) as asked:
        loaded, path = load(pipeline) if pipeline else None, find_run(run, runsdir)
        return _go_on(path, loaded, Given(agent=asked), accept_change, listeners)


def _go_on(
    path: str,
    pipeline: Pipeline | None,
    given: Given,
    accept_change: bool,
    listeners: tuple[Listener, ...],
) -> RunResult:
    from custody.engine import resume as engine

    return engine.resume(
        path, pipeline=pipeline, given=given, accept_change=accept_change, listeners=listeners
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
    agent: AnyAgent = "",
    listeners: tuple[Listener, ...] = (),
) -> RunResult:
    """Start a run that shares another's past up to the last visit of ``node``."""
    from custody.engine import fork as engine

    with _known(agent) as asked:
        return engine.fork(
            find_run(run, runsdir),
            node,
            runsdir=runsdir,
            run_id=check_run_id(run_id) if run_id else new_run_id(),
            agent=asked,
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


def _known(agent: AnyAgent) -> AbstractContextManager[str]:
    """Return what makes an agent known by a name while it is entered."""
    if isinstance(agent, str):
        return nullcontext(agent)
    from custody.executors.registry import handed_in

    return handed_in(agent)


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


def apply(
    run: str,
    *,
    to: str = "",
    branch: str = "",
    failed: bool = False,
    dry_run: bool = False,
    runsdir: str = DEFAULT_RUNSDIR,
) -> Applied:
    """Take over what a run changed, to its source or ``to`` a folder, all of it or nothing.

    With ``branch`` it becomes a commit on a new branch there. Conflicts are told in the result:
    nothing was changed then. Raises `RunError` for a run that did not pass, unless ``failed``.
    """
    from custody.engine import apply as engine

    found = find_run(run, runsdir)
    return engine.apply(found, to, branch=branch, failed=failed, dry_run=dry_run)


def remove(runs: Sequence[str], *, runsdir: str = DEFAULT_RUNSDIR, force: bool = False) -> Removal:
    """Remove runs by name, all or, where one may not be, none; see `custody.engine.removal`."""
    from custody.engine import removal

    return removal.remove([find_run(run, runsdir) for run in runs], force=force)


def prune(which: Pruning, *, runsdir: str = DEFAULT_RUNSDIR, dry_run: bool = False) -> Removal:
    """Remove the runs of a folder that ``which`` selects, and what killed starts have left."""
    from custody.engine import removal

    return removal.prune(runsdir, which, dry_run=dry_run)


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


def try_agent(agent: str, *, confinement: str = "") -> AgentTrial:
    """Make one real call of an agent, confined as a stage is; raises `NotReady`."""
    from custody.engine import agent_trial

    return agent_trial.try_agent(agent, confinement=confinement)


def project(folder: str, *, tests: str = "") -> tuple[Project, tuple[str, ...], dict[str, bytes]]:
    """Return what a folder's files tell of a project, who can repair it, and the files for that.

    ``tests`` is the command that runs its tests, where the files do not tell. Raises `UsageError`
    for one that no verification would run.
    """
    from custody.executors.readiness import agents_there
    from custody.scaffold.look import look_at
    from custody.scaffold.repair import files, refuse_command

    if tests:
        refuse_command(tests, lambda text: check(text)[1])
    found, agents = look_at(folder, tests), agents_there(os.environ)
    return found, agents, files(found, agents)


def scaffold(folder: str, files: Mapping[str, bytes], ignored: str = "") -> tuple[str, ...]:
    """Write new files into a folder, and a line of its ``.gitignore``; see `store.scaffold`."""
    from custody.store import scaffold as store

    return store.scaffold(folder, files, ignored)


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

    return scenarios.preflight_all(scripts, os.environ, live=live, timeout=timeout)


def lint_scenario(script: str) -> tuple[Finding, ...]:
    """Return every finding about a scenario script."""
    from custody.scenarios.lint import lint_file

    return lint_file(script)


def ingest(document: str, *, project: str) -> IngestedFile:
    """Ingest a document that no run wrote: its blocks become new files of ``workspace/``."""
    from custody.ingest.standalone import ingest_file

    return ingest_file(document, project)


def inbox(*, runsdir: str | Sequence[str] = DEFAULT_RUNSDIR) -> list[Waiting]:
    """Return what waits for a person, over all runs of a folder or of several."""
    from custody.engine import waiting

    folders = (runsdir,) if isinstance(runsdir, str) else runsdir
    return [one for folder in folders for one in waiting.inbox(folder)]


def waiting_request(request: str, *, runsdir: str | Sequence[str] = DEFAULT_RUNSDIR) -> Waiting:
    """Return the one request of that name that waits; raises `RunNotFound`."""
    from custody.engine import waiting

    return waiting.named(request, inbox(runsdir=runsdir))


def answer(request: str, text: str, *, runsdir: str = DEFAULT_RUNSDIR) -> Waiting:
    """Hand in the answer to a request, once; the run goes on with it when it is resumed."""
    from custody.engine import waiting

    return waiting.answer(request, text, runsdir)
