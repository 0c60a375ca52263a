"""Continue an interrupted run."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Result

ABOUT = (
    "Continue a run that was interrupted. Finished stages are not run again, and the workspace is\n"
    "restored to what the journal says. A run that has ended is not changed."
)
EXAMPLES = (
    "custody resume last",
    "custody resume last --pipeline pipeline.dot --accept-pipeline-change",
)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    pipeline = parser.add_argument(
        "--pipeline",
        metavar="PIPELINE",
        default="",
        help="the pipeline that the run should have; refused if it differs from the run's own",
    )
    pipeline.complete = declare.FILE
    declare.accept_change(parser)
    declare.verbose(parser)
    declare.quiet(parser)


def execute(options: Namespace) -> Result:
    """Go on."""
    from custody import api
    from custody.cli import config
    from custody.cli.run_result import run_result
    from custody.cli.watch import watching

    runsdir = config.setting("runsdir", options.runsdir)
    with watching(verbose=options.verbose, quiet=options.quiet) as board:
        board.recall(api.events(options.run, runsdir=runsdir))
        result = api.resume(
            options.run,
            runsdir=runsdir,
            pipeline=options.pipeline,
            accept_change=options.accept_change,
            listeners=(board.hear,),
        )
    return run_result(result, options, board.failures)
