"""Remove runs that nobody needs any more."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.engine.removal import Removal
    from custody.store.run_state import RunState

ABOUT = (
    "Remove the runs of a folder by age, by state, or all but the newest. Given several of these,\n"
    "only runs that match all of them are removed. Runs in progress, and runs that wait for a\n"
    "person, always stay. Leftovers of killed starts are removed too."
)
EXAMPLES = (
    "custody prune --older-than 30d --dry-run",
    "custody prune --keep 20",
    "custody prune --state failed --state crashed --keep 5",
)
STATES: dict[str, RunState] = {
    "passed": "PASS",
    "failed": "FAIL",
    "interrupted": "INTERRUPTED",
    "crashed": "CRASHED",
    "broken": "BROKEN",
}
"""The states by which runs are chosen."""
_UNITS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.runsdir(parser)
    parser.add_argument(
        "--older-than", metavar="AGE", default="", help="such as 90m, 12h, 30d or 8w"
    )
    parser.add_argument(
        "--state",
        dest="states",
        metavar="STATE",
        action="append",
        default=[],
        choices=tuple(STATES),
        help=f"{', '.join(STATES)}; may be repeated (default: all but broken)",
    )
    parser.add_argument(
        "--keep", metavar="N", type=int, help="keep the newest N of the runs that match otherwise"
    )
    parser.add_argument("--dry-run", action="store_true", help="only list what would be removed")


def execute(options: Namespace) -> Result:
    """Remove them."""
    from custody import api
    from custody.cli import config
    from custody.engine.removal import Pruning

    if options.keep is not None and options.keep < 0:
        raise UsageError(f"--keep takes a number of runs, not {options.keep}")
    which = Pruning(
        older_than=_seconds(options.older_than) if options.older_than else None,
        states=tuple(STATES[name] for name in dict.fromkeys(options.states)),
        keep=options.keep,
    )
    runsdir = config.setting("runsdir", options.runsdir)
    removal = api.prune(which, runsdir=runsdir, dry_run=options.dry_run)
    return Result(data=removal, text=_lines(removal))


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not (number.isascii() and number.isdigit()):
        raise UsageError(f"{text!r} is not an age", hint="a number with m, h, d or w: 30d")
    return float(int(number) * _UNITS[unit])


def _lines(removal: Removal) -> Iterator[Line]:
    said = "would remove" if removal.dry_run else "removed"
    for run in removal.runs:
        yield Line(f"{said} {run.run_id}  {run.state}")
    for path in removal.starts:
        yield Line(f"{said} {path}", "faint")
    if not removal.runs and not removal.starts:
        yield Line("nothing to remove")
