"""Remove runs by name."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "Remove runs, with everything they have recorded. A run in progress is never removed, and one\n"
    "that waits for a person only with --force. If one of them may not be removed, none is.\n"
    "Contents that other runs share stay with them."
)
EXAMPLES = ("custody rm last", "custody rm 20260131_101500 20260131_104500")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    runs = parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="id, unique prefix of it, run directory, or `last`",
    )
    runs.complete = declare.FOLDER
    declare.runsdir(parser)
    parser.add_argument(
        "--force", action="store_true", help="also remove a run that waits for a person"
    )


def execute(options: Namespace) -> Result:
    """Remove them."""
    from custody import api
    from custody.cli import config

    runsdir = config.setting("runsdir", options.runsdir)
    removal = api.remove(options.runs, runsdir=runsdir, force=options.force)
    return Result(data=removal, text=[Line(f"removed {run.run_id}") for run in removal.runs])
