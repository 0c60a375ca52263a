"""Run a pipeline to its end."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.model.ingest import IngestSwitch

ABOUT = (
    "Run a pipeline to its end, in a copy of a folder. The exit code is 0 only if the run passed.\n"
    "The run directory holds the evidence of everything that was done."
)
EXAMPLES = (
    "custody run",
    "custody run pipeline.dot",
    "custody run fix_test --workdir project --agent fake:answers.json",
    "custody run pipeline.dot --run-id nightly --resume",
)
RUN_SETTINGS = ("agent", "confinement", "ingest", "workdir")
"""What a run keeps from its beginning, and a flag cannot change later."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.pipeline(parser, default="the setting `pipeline`")
    declare.new_run(
        parser,
        workdir="folder that is copied into the workspace; never written to (default: the setting "
        "`workdir`, else none)",
        resume="continue the run of that id if it exists",
    )
    declare.accept_change(parser)
    declare.agent(parser)
    declare.confinement(parser)
    declare.ingest(parser)
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        dest="variables",
        action="append",
        default=[],
        help="give a variable of the pipeline another value; may be repeated",
    )
    declare.roles(parser)
    declare.documents(parser)
    declare.verbose(parser)
    declare.quiet(parser)


def execute(options: Namespace) -> Result:
    """Run it."""
    from custody import api
    from custody.cli import config
    from custody.cli.run_result import run_result
    from custody.cli.watch import tell_of_secrets, watching

    _refuse_contradictions(options)
    given = variables(options.variables)
    roles = declare.pairs(options.roles, "--role", "ROLE=AGENT")
    agent = config.setting("agent", options.agent)
    by_name = [name for name in RUN_SETTINGS if vars(options)[name]]
    options.workdir = config.setting("workdir", options.workdir)
    tell_of_secrets(given, agent)
    first = f"copying {options.workdir}" if options.workdir else ""
    with watching(verbose=options.verbose, quiet=options.quiet, first=first) as board:
        result = api.run(
            _pipeline(options),
            workdir=options.workdir,
            runsdir=config.setting("runsdir", options.runsdir),
            run_id=options.run_id,
            variables=given,
            agent=agent,
            confinement=config.setting("confinement", options.confinement),
            ingest=ingest_switch(forced=options.ingest),
            exclude=config.entries("exclude"),
            output_limit=output_limit(),
            roles=roles,
            documents=declare.files(options.documents),
            resume_existing=options.resume,
            accept_change=options.accept_change,
            by_name=by_name,
            look_first=True,
            listeners=(board.hear,),
        )
    return run_result(result, options, board.failures)


def _pipeline(options: Namespace) -> str:
    from custody.cli import config

    if not (named := config.setting("pipeline", options.pipeline)):
        raise UsageError(
            "PIPELINE is missing",
            hint="name a file, or let `custody init` write one for this folder",
        )
    return named


def ingest_switch(*, forced: bool) -> IngestSwitch:
    """Return what the run says about documents; raises `UsageError` for a wrong setting."""
    from custody.cli import config

    if forced:
        return "forced"
    found = config.origin("ingest", "")
    if found.value not in ("true", "false"):
        what = f"ingest is true or false, not {found.value!r}"
        raise UsageError(what, hint=f"it comes from {found.origin}")
    return "on" if found.value == "true" else "off"


def output_limit() -> int | None:
    """Return how much of a command's output prompts show; None where no setting says it."""
    from custody.cli import config
    from custody.model.limits import parse_size

    found = config.origin("output_limit", "")
    if not found.value:
        return None
    try:
        return parse_size(found.value)
    except ValueError as error:
        raise UsageError(f"output_limit: {error}", hint=f"it comes from {found.origin}") from None


def variables(words: list[str]) -> dict[str, str]:
    """Read ``name=value`` words; raises `UsageError`."""
    return declare.pairs(words, "--set", "NAME=VALUE")


def _refuse_contradictions(options: Namespace) -> None:
    if options.resume and not options.run_id:
        raise UsageError("--resume needs --run-id", hint="or use `custody resume RUN`")
    if options.accept_change and not options.resume:
        raise UsageError("--accept-pipeline-change needs --resume")
