"""Change a repository by a patch that stays inside a signed plan."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import CustodyError, Refused, RunError, StorageFailed, UsageError

if TYPE_CHECKING:
    from custody.engine.apply import Applied
    from custody.engine.change_start import WantedChange
    from custody.engine.result import RunResult

ABOUT = (
    "Take a goal to a verified patch: roles write a plan and a patch, gates judge both, and the\n"
    "repository is not touched. Runs are in your data folder, below the name of the repository.\n"
    "If a person is asked, the exit code is 3; `advance` continues when the answer is there. A\n"
    "change that failed for good leaves failure_bundle.zip in its run directory."
)
EXAMPLES = (
    "custody change start 'Let add add' --lite 'make test' --agent codex",
    "custody change start 'Let add add' --lite 'make test' --config dispatch.json --land add",
    "custody change advance last",
    "custody change status last",
)
ACTIONS = ("start", "advance", "status")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help=", ".join(ACTIONS))
    parser.add_argument("subject", metavar="GOAL|RUN", help="the goal, or a run that was started")
    repo = parser.add_argument(
        "--repo", metavar="DIR", default=".", help="the repository (default: the current folder)"
    )
    repo.complete = declare.FOLDER
    declare.runsdir(parser)
    parser.add_argument("--run-id", metavar="ID", default="", help="name of the run")
    config = parser.add_argument(
        "--config", metavar="FILE", default="", help="dispatch_config.json: who has which role"
    )
    config.complete = declare.FILE
    declare.agent(parser, "a person, for every role without an agent")
    declare.roles(parser)
    plan = parser.add_argument(
        "--plan", metavar="FILE", default="", help="a signed plan; nobody is asked for one then"
    )
    plan.complete = declare.FILE
    declare.documents(parser)
    for gate, doc in (("lite", "judges the change"), ("full", "judges it where the plan says so")):
        parser.add_argument(
            f"--{gate}",
            metavar="CMD",
            action="append",
            default=[],
            help=f"a command that {doc}; may be repeated "
            f"(default: {gate} in [change] of custody.toml)",
        )
    parser.add_argument(
        "--land",
        metavar="BRANCH",
        default="",
        help="make a commit on a new branch when the change has passed; never on a dirty tree",
    )
    declare.confinement(parser)
    declare.verbose(parser)
    declare.quiet(parser)


def execute(options: Namespace) -> Result:
    """Start, go on, or look."""
    from custody import api, change
    from custody.cli import config
    from custody.cli.run_result import run_result
    from custody.cli.watch import watching

    runsdir = options.runsdir or change.runs_of(options.repo)
    options.runsdir = runsdir
    if options.action == "status":
        return run_result(api.show(options.subject, runsdir=runsdir), options, {})
    with watching(verbose=options.verbose, quiet=options.quiet) as board:
        if options.action == "start":
            result = change.start(
                _wanted(options),
                repo=options.repo,
                runsdir=runsdir,
                run_id=options.run_id,
                confinement=config.setting("confinement", options.confinement),
                listeners=(board.hear,),
            )
        else:
            result = change.advance(options.subject, runsdir=runsdir, listeners=(board.hear,))
    told = run_result(result, options, board.failures)
    landed, refused = _land(result)
    failed = refused is not None or (landed is not None and landed.conflicts)
    return Result(
        data={"run": result, "landed": landed, "not_landed": str(refused or "")},
        text=chain(told.text, _told(landed, refused), _bundled(result)),
        status="FAIL" if failed else told.status,
    )


def _land(result: RunResult) -> tuple[Applied | None, CustodyError | None]:
    """Make the commit that is due, or return why there can be none: the run is told either way."""
    from custody import change

    try:
        return change.land(result), None
    except (Refused, UsageError, RunError) as error:
        return None, error


def _wanted(options: Namespace) -> WantedChange:
    from custody.cli import config
    from custody.engine.change_start import WantedChange
    from custody.model import layout

    documents = declare.files(options.documents)
    if options.plan:
        documents[layout.PLAN] = _read(options.plan, "--plan")
    return WantedChange(
        goal=options.subject,
        agent=config.setting("agent", options.agent),
        config=_read(options.config, "--config") if options.config else None,
        roles=declare.pairs(options.roles, "--role", "ROLE=AGENT"),
        documents=documents,
        lite=options.lite,
        full=options.full,
        land=options.land,
    )


def _read(path: str, option: str) -> bytes:
    from custody.store.root import read_file

    try:
        return read_file(path)
    except StorageFailed as error:
        raise UsageError(f"{option}: {error.what}", where=error.where, hint=error.hint) from error


def _told(landed: Applied | None, refused: CustodyError | None) -> Iterator[Line]:
    """Tell whether the change landed, and if not, what to do about it."""
    if refused is not None:
        yield Line(f"not landed: {refused}", "bad", hang=2)
        if refused.hint:
            yield Line(f"  hint: {refused.hint}")
    elif landed is not None and landed.conflicts:
        first = landed.conflicts[0]
        yield Line(f"not landed: {first.path}: {first.what}", "bad")
    elif landed is not None:
        yield Line(f"landed: commit {landed.commit[:12]} on branch {landed.branch}", "good")


def _bundled(result: RunResult) -> Iterator[Line]:
    from custody.cli.run_result import short
    from custody.model import layout
    from custody.store.places import is_file

    path = f"{result.path}/{layout.BUNDLE}"
    if result.summary.status == "FAIL" and is_file(path):
        yield Line(f"bundle:   {short(path)}")
