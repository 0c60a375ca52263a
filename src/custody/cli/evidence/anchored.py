"""Compare a run with its anchor."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.attest import Anchored


def arguments(parser: Arguments) -> None:
    """Declare what a time stamp needs."""
    for name, text in (
        ("stamp", "anchored: the time stamp that `anchor --tsa` wrote"),
        ("roots", "anchored: the authority's root certificates, in PEM"),
    ):
        option = parser.add_argument(f"--{name}", metavar="FILE", default="", help=text)
        option.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """Compare them."""
    from custody import attest
    from custody.cli import config

    runsdir, run = config.setting("runsdir", options.runsdir), options.subject
    if bool(options.git) == bool(options.stamp):
        raise UsageError("anchored needs --git REPO or --stamp FILE")
    if bool(options.stamp) != bool(options.roots):
        raise UsageError("--stamp and --roots need each other")
    if options.git:
        found = attest.anchored_in_git(run, options.git, runsdir=runsdir)
    else:
        found = attest.anchored_by_time(run, options.stamp, options.roots, runsdir=runsdir)
    mismatches = found.verification.mismatches
    return Result(data=found, text=_lines(found), status="FAIL" if mismatches else "PASS")


def _lines(found: Anchored) -> Iterator[Line]:
    verification = found.verification
    for mismatch in verification.mismatches:
        yield Line(f"{mismatch.where} {mismatch.code} {mismatch.what}", "bad", hang=4)
    when = f", seen at {found.time}" if found.time else ""
    if verification.mismatches:
        yield Line(f"not anchored  run {verification.run_id}: {found.where}{when}", "bad", hang=2)
        return
    yield Line(f"anchored  run {verification.run_id}: {found.where}{when}", "good", hang=2)
    if verification.after_head:
        yield Line(f"{verification.after_head} journal lines came after it")
