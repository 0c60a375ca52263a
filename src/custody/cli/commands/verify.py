"""Check that a run directory is what it claims to be."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.engine.verification import Verification
    from custody.model.fact import RunStatus

ABOUT = (
    "Check the chain of the journal, every file and blob it names, every document made from it,\n"
    "and the directory's name. Any mismatch is listed, and the exit code is 1 then. Whoever can\n"
    "write to the directory could also have written all of it anew: only --head finds that."
)
EXAMPLES = ("custody verify last", "custody verify last --rebuild")

_OUTCOMES: dict[RunStatus, str] = {
    "PASS": "the run itself ended PASS",
    "FAIL": "the run itself ended FAIL",
    "RUNNING": "the run itself has not ended",
}
_UNTOLD = "how the run itself ended cannot be told"
"""What is said of a record that is good only up to a line before the run's end."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="write again what can be made from the journal: trace, status files, summary …",
    )
    parser.add_argument(
        "--head",
        metavar="HASH",
        default="",
        help="what the run printed as the journal's head: a line of it must have that hash",
    )


def execute(options: Namespace) -> Result:
    """Check it."""
    from custody import api
    from custody.cli import config

    found = api.verify(
        options.run,
        runsdir=config.setting("runsdir", options.runsdir),
        rebuild=options.rebuild,
        head=options.head,
    )
    return Result(data=found, text=_lines(found), status="FAIL" if found.mismatches else "PASS")


def _lines(found: Verification) -> Iterator[Line]:
    from custody.cli.render.table import count

    for mismatch in found.mismatches:
        yield Line(f"{mismatch.where} {mismatch.code} {mismatch.what}", "bad", hang=4)
    if found.after_head:
        yield Line(f"{count(found.after_head, 'journal line')} came after the head that was given")
    checked = f"{found.lines} journal lines, {found.evidence} files, {found.blobs} blobs"
    if found.intact:
        what = f"intact  run {found.run_id}: {checked} are what they claim to be"
        yield Line(what, "good", hang=2)
    else:
        wrong = f"{len(found.mismatches)} wrong"
        yield Line(f"not intact  run {found.run_id}: {wrong}; {checked}", "bad", hang=2)
    untold = found.mismatches and found.status == "RUNNING"
    yield Line(_UNTOLD if untold else _OUTCOMES[found.status])
    if found.unknown:
        yield Line(f"not known to the record: {', '.join(found.unknown)}", "faint", hang=2)
