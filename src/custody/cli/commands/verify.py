"""Check that a run directory is what it claims to be."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.engine.verification import Verification
    from custody.model.fact import RunStatus

ABOUT = (
    "Check the chain of the journal, every file and blob it names, every document made from it,\n"
    "and the directory's name. Mismatches are listed, and the exit code is then 1. Anyone who can\n"
    "write to the directory could also have rewritten all of it: --head and --signed detect that."
)
EXAMPLES = (
    "custody verify last",
    "custody verify last --rebuild",
    "custody verify last --signed r1.dsse.json --key mine.pub",
)

_OUTCOMES: dict[RunStatus, str] = {
    "PASS": "the run itself ended PASS",
    "FAIL": "the run itself ended FAIL",
    "RUNNING": "the run itself has not ended",
}
_UNCHECKED = "who signed it was not checked: --key FILE names the public key"
_UNTOLD = "how the run itself ended cannot be told"
"""What is said of a record that is good only up to a line before the run's end."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="rewrite what can be made from the journal: trace, status files, summary …",
    )
    parser.add_argument(
        "--head",
        metavar="HASH",
        default="",
        help="the head that the run printed: a line of the journal must have that hash",
    )
    for name, metavar, text in (
        ("signed", "FILE", "a signed packet of the run: the record must be the one it is about"),
        ("key", "FILE", "the public key of --signed; without one its signature is not checked"),
    ):
        option = parser.add_argument(f"--{name}", metavar=metavar, default="", help=text)
        option.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """Check it."""
    from custody import api
    from custody.cli import config

    runsdir = config.setting("runsdir", options.runsdir)
    if options.key and not options.signed:
        raise UsageError("--key belongs to a signed packet", hint="--signed FILE names one")
    if options.signed and options.head:
        raise UsageError("--signed already names the head", hint="leave --head out")
    if options.signed:
        found = _against_signed(options, runsdir)
    else:
        found = api.verify(options.run, runsdir=runsdir, rebuild=options.rebuild, head=options.head)
    unchecked = bool(options.signed and not options.key)
    text = chain(_lines(found), [Line(_UNCHECKED, "warn")] if unchecked else ())
    return Result(data=found, text=text, status="FAIL" if found.mismatches else "PASS")


def _against_signed(options: Namespace, runsdir: str) -> Verification:
    from custody import attest

    return attest.verify_signed(
        options.run, options.signed, key=options.key, runsdir=runsdir, rebuild=options.rebuild
    )


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
