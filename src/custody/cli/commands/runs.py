"""List the runs."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.render.terminal import room
from custody.cli.result import Arguments, Line, Result, Tone

if TYPE_CHECKING:
    from custody.cli.render.table import TableRow
    from custody.engine.queries import RunCost
    from custody.store.index import RunRow
    from custody.store.starts import RunStart

ABOUT = (
    "List the runs, newest last, with their state, time, tokens and cost. A run is RUNNING only\n"
    "while a process works on it. Otherwise it is WAITING for a person, was INTERRUPTED or\n"
    "CRASHED, or has ended with PASS or FAIL. BROKEN means that its manifest cannot be read. If a\n"
    "run has not ended, its stage is shown before the goal. Leftovers of killed starts come last;\n"
    "the next run removes them."
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
    from msgspec import to_builtins

    from custody import api
    from custody.cli import config
    from custody.engine import queries

    runsdir = config.setting("runsdir", options.runsdir)
    rows, starts = api.list_runs(runsdir), api.list_starts(runsdir)
    left = [_start(one) for one in starts]
    costs = [queries.cost(row.path, ended=bool(row.ended_at)) for row in rows]
    told = [to_builtins(row) | to_builtins(cost) for row, cost in zip(rows, costs, strict=True)]
    data = {"runs": told, **({"starts": starts} if starts else {})}
    if not rows:
        return Result(data=data, text=[Line("there are no runs yet"), *left])
    return Result(data=data, text=[*_table(rows, costs), *left])


def _table(rows: Sequence[RunRow], costs: Sequence[RunCost]) -> Iterator[Line]:
    """Return a run a row; the date as short as it can be told where there is little room."""
    from msgspec import UNSET

    from custody.cli.render.table import fitted, needed

    columns = room(sys.stdout, os.environ)
    told = any(cost.usage is not UNSET and cost.usage.told for cost in costs)
    used = ("tokens", "cost") if told else ()
    headings = ("run", "status", "pipeline", "started", "time", *used)
    lines = [_row(row, cost, told=told) for row, cost in zip(rows, costs, strict=True)]
    if columns and needed(headings, lines) > columns:
        lines = [_row(row, cost, told=told, cut=5) for row, cost in zip(rows, costs, strict=True)]
    yield from fitted(headings, lines, columns, remark="goal")


def _row(row: RunRow, cost: RunCost, *, told: bool, cut: int = 0) -> TableRow:
    from custody.cli.render.table import TableRow, seconds
    from custody.cli.render.usage import cost_cell, tokens_cell

    taken = "?" if cost.active_seconds is None else seconds(cost.active_seconds)
    started = row.started_at[cut : 16 if cut else 19].replace("T", " " if cut else "T")
    used = (tokens_cell(cost.usage, apart=False), cost_cell(cost.usage)) if told else ()
    return TableRow(
        (row.run_id, row.state, row.pipeline, started, taken, *used),
        _TONES.get(row.state, "bad"),
        row.problem or _about(row),
    )


def _about(row: RunRow) -> str:
    """Return what a run is about; of one that has not ended, first where it is."""
    return " ".join(filter(None, (f"[{row.stage}]" if row.stage else "", row.goal)))


def _start(one: RunStart) -> Line:
    if one.at_work:
        return Line(f"{one.run_id} is being started", "faint")
    what = f"{one.run_id} was never started: the next run clears {one.path} away"
    return Line(what, "warn", hang=2)
