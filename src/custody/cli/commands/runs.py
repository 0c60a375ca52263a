"""List the runs."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result, Tone

if TYPE_CHECKING:
    from custody.store.index import RunRow
    from custody.store.starts import RunStart

ABOUT = (
    "List the runs, the newest last, and how each stands. One is RUNNING only while a process is\n"
    "at work on it; else it is WAITING for a person, was INTERRUPTED or CRASHED, or has ended,\n"
    "PASS or FAIL. A run whose manifest cannot be read is BROKEN. Where a run has not ended, its\n"
    "stage stands before the goal. Last comes what killed starts left: the next run clears it away."
)
EXAMPLES = ("custody runs", "custody runs --json")

_TONES: dict[str, Tone] = {
    "PASS": "good",
    "FAIL": "bad",
    "RUNNING": "warn",
    "WAITING": "warn",
    "INTERRUPTED": "warn",
}


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.runsdir(parser)


def execute(options: Namespace) -> Result:
    """List them."""
    from custody import api
    from custody.cli import config
    from custody.cli.render.table import table

    runsdir = config.setting("runsdir", options.runsdir)
    rows, starts = api.list_runs(runsdir), api.list_starts(runsdir)
    left = [_start(one) for one in starts]
    data = {"runs": rows, **({"starts": starts} if starts else {})}
    if not rows:
        return Result(data=data, text=[Line("there are no runs yet"), *left])
    heading, *texts = table(
        ("run", "status", "pipeline", "started", "goal"),
        [
            (row.run_id, row.state, row.pipeline, row.started_at[:19], row.problem or _about(row))
            for row in rows
        ],
    )
    tones = [_TONES.get(row.state, "bad") for row in rows]
    lines = map(Line, texts, tones)
    return Result(data=data, text=[Line(heading, "strong"), *lines, *left])


def _about(row: RunRow) -> str:
    """Return what a run is about; of one that has not ended, first where it is."""
    return " ".join(filter(None, (f"[{row.stage}]" if row.stage else "", row.goal)))


def _start(one: RunStart) -> Line:
    if one.at_work:
        return Line(f"{one.run_id} is being started", "faint")
    return Line(f"{one.run_id} was never started: the next run clears {one.path} away", "warn")
