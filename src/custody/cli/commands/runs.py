"""List the runs."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result, Tone

ABOUT = "List the runs, the newest last. A run whose manifest cannot be read is listed as broken."
EXAMPLES = ("custody runs", "custody runs --json")

_TONES: dict[str, Tone] = {"PASS": "good", "FAIL": "bad", "RUNNING": "warn"}


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.runsdir(parser)


def execute(options: Namespace) -> Result:
    """List them."""
    from custody import api
    from custody.cli import config
    from custody.cli.render.table import table

    rows = api.list_runs(config.setting("runsdir", options.runsdir))
    if not rows:
        return Result(data={"runs": []}, text=[Line("there are no runs yet")])
    heading, *texts = table(
        ("run", "status", "pipeline", "started", "goal"),
        [
            (row.run_id, row.status, row.pipeline, row.started_at[:19], row.problem or row.goal)
            for row in rows
        ],
    )
    tones = [_TONES.get(row.status, "bad") for row in rows]
    lines = map(Line, texts, tones)
    return Result(data={"runs": rows}, text=[Line(heading, "strong"), *lines])
