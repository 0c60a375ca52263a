"""Start a new run from the middle of another."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Result

ABOUT = (
    "Start a new run that shares the history of another up to the last time it reached a stage,\n"
    "and continues from there on its own. The other run is not touched."
)
EXAMPLES = ("custody fork last fix --agent fake:other_answers.json",)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument("node", metavar="NODE", help="the first stage to run again")
    parser.add_argument(
        "--run-id",
        metavar="ID",
        default="",
        help="name of the new run (default: made from the time)",
    )
    declare.agent(parser, "that of the other run")
    declare.verbose(parser)
    declare.quiet(parser)


def execute(options: Namespace) -> Result:
    """Branch off."""
    from custody import api
    from custody.cli import config
    from custody.cli.run_result import run_result
    from custody.cli.watch import tell_of_secrets, watching

    tell_of_secrets({}, options.agent)
    with watching(verbose=options.verbose, quiet=options.quiet) as board:
        result = api.fork(
            options.run,
            options.node,
            runsdir=config.setting("runsdir", options.runsdir),
            run_id=options.run_id,
            agent=options.agent,
            listeners=(board.hear,),
        )
    return run_result(result, options, board.failures)
