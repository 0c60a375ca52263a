"""Print the journal of a run, and follow it."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Result

ABOUT = (
    "Print the journal of a run, one fact per line. With --json, the lines are those of\n"
    "events.jsonl, byte for byte."
)
EXAMPLES = ("custody log last", "custody log last -f")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="keep printing until the run has ended"
    )


def execute(options: Namespace) -> Result:
    """Print the journal."""
    from custody import api
    from custody.cli import config
    from custody.cli.render.journal import HANG, journal_line

    lines = api.events(
        options.run,
        runsdir=config.setting("runsdir", options.runsdir),
        follow=options.follow,
    )
    return Result(data=lines, text=(journal_line(line)._replace(hang=HANG) for line in lines))
