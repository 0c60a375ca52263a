"""Show a run, or everything about one of its stages."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from itertools import chain

from custody.cli import options as declare
from custody.cli.result import Arguments, Result
from custody.errors import UsageError

ABOUT = (
    "Show how a run went, stage by stage; with a stage, everything about one attempt at it: the\n"
    "prompt as it was sent, the response, the outcome, the changes, and the end of its output."
)
EXAMPLES = (
    "custody show last",
    "custody show last fix",
    "custody show last fix --attempt 2.1",
    "custody show last --watch",
)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument("node", metavar="NODE", nargs="?", default="", help="a stage of the run")
    parser.add_argument(
        "--attempt",
        metavar="VISIT.ATTEMPT",
        default="",
        help="which attempt at the stage (default: the last)",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="follow the run until it ends, waits, or no process works on it; the exit code is "
        "then that of the run",
    )


def execute(options: Namespace) -> Result:
    """Show the run, or one of its stages."""
    if options.node and options.watch:
        raise UsageError("--watch is for a run", hint="custody show RUN --watch")
    if options.node:
        return _stage(options)
    if options.attempt:
        raise UsageError("--attempt needs a stage", hint="custody show RUN NODE --attempt 1.1")
    if options.watch:
        _watch(options)
    return _run(options)


def _watch(options: Namespace) -> None:
    from custody import api
    from custody.cli import config
    from custody.cli.watch import follow

    runsdir = config.setting("runsdir", options.runsdir)
    lines = api.events(options.run, runsdir=runsdir, follow=True)
    follow(lines, to=None if options.json else sys.stdout)


def _run(options: Namespace) -> Result:
    from custody import api
    from custody.cli import config
    from custody.cli.render.report import report
    from custody.cli.render.terminal import room
    from custody.cli.run_result import awaited, home, place

    result = api.show(options.run, runsdir=config.setting("runsdir", options.runsdir))
    columns = room(sys.stdout, os.environ)
    text = report(
        result.summary,
        place(result, options),
        whole=True,
        state=result.state,
        at_work=result.at_work,
        columns=columns,
    )
    return Result(
        data=result,
        text=chain(text, awaited(result, home(result, options))),
        status=result.summary.status if options.watch else "PASS",
    )


def _stage(options: Namespace) -> Result:
    from custody import api
    from custody.cli import config
    from custody.cli.render.stage import stage

    account = api.account(
        options.run,
        options.node,
        attempt=options.attempt,
        runsdir=config.setting("runsdir", options.runsdir),
    )
    return Result(data=account, text=stage(account))
