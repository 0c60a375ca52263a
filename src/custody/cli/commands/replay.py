"""Prove that the recorded answers lead to the recorded decisions."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "Take the answer to every request of a run from its journal, and make every decision again.\n"
    "Nothing is started and nothing is written; a decision that comes out differently is an\n"
    "error."
)
EXAMPLES = ("custody replay last",)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)


def execute(options: Namespace) -> Result:
    """Play it again."""
    from custody import api
    from custody.cli import config

    played = api.replay(options.run, runsdir=config.setting("runsdir", options.runsdir))
    ended = "the run has not ended" if played.status == "RUNNING" else f"ends {played.status}"
    line = Line(f"agreed: {played.facts} facts reached again, byte for byte; {ended}", "good")
    return Result(data=played, text=[line])
