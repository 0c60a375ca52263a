"""Check that a run directory is what it claims to be."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.engine.verify import Verification

ABOUT = (
    "Check the chain of the journal, every file and blob it names, and every document made from\n"
    "it. Any mismatch is listed, and the exit code is 1 then."
)
EXAMPLES = ("custody verify last", "custody verify last --rebuild")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="write again what can be made from the journal: trace, status files, summary …",
    )


def execute(options: Namespace) -> Result:
    """Check it."""
    from custody import api
    from custody.cli import config

    found = api.verify(
        options.run,
        runsdir=config.setting("runsdir", options.runsdir),
        rebuild=options.rebuild,
    )
    return Result(data=found, text=_lines(found), status="FAIL" if found.mismatches else "PASS")


def _lines(found: Verification) -> Iterator[Line]:
    for mismatch in found.mismatches:
        yield Line(f"{mismatch.where} {mismatch.code} {mismatch.what}", "bad")
    checked = f"{found.lines} journal lines, {found.evidence} files, {found.blobs} blobs"
    if found.mismatches:
        yield Line(f"FAIL  run {found.run_id}: {len(found.mismatches)} wrong; {checked}", "bad")
    else:
        yield Line(f"PASS  run {found.run_id}: {checked} are what they claim to be", "good")
