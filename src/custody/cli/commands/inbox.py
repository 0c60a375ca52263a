"""List what waits for a person."""

from __future__ import annotations

import os
from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "List what waits for a person, in all runs and then in all changes of the repository in the\n"
    "current folder; of each, the run that started first is at the top."
)
EXAMPLES = ("custody inbox", "custody inbox --json")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.runsdir(parser)


def execute(options: Namespace) -> Result:
    """List it."""
    from custody import api
    from custody.cli.mailboxes import folders
    from custody.cli.render.table import table

    found = api.inbox(runsdir=folders(options.runsdir))
    if not found:
        return Result(data={"waiting": []}, text=[Line("nothing waits")])
    heading, *rows = table(
        ("request", "since", "state", "prompt"),
        [
            (
                f"{os.path.basename(one.path) or one.run_id}/{one.request_id}",
                one.since[:19],
                "answered" if one.answered else "waiting",
                one.prompt,
            )
            for one in found
        ],
    )
    lines = [
        Line(text, "good" if one.answered else "warn")
        for text, one in zip(rows, found, strict=True)
    ]
    return Result(data={"waiting": found}, text=[Line(heading, "strong"), *lines])
