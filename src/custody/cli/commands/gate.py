"""Ask a gate of a change about documents and a repository."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.engine.gate_trial import GateReport

ABOUT = (
    "Ask one of the gates that a plan declares, as a run would. plan_check and patch_check judge\n"
    "the documents below DIR/artifacts, behavior_catalog_check judges the repository, lite and\n"
    "full run the commands that its custody.toml names, confined, on a copy. The exit code is 0\n"
    "if the gate passes, else 1. A gate that could not run is reported as not executed, not\n"
    "failed."
)
EXAMPLES = (
    "custody gate behavior_catalog_check",
    "custody gate plan_check --dir change --check-evidence",
    "custody gate patch_check --run last --repo .",
    "custody gate lite",
)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "name",
        metavar="NAME",
        help="plan_check, patch_check, behavior_catalog_check, lite or full",
    )
    repo = parser.add_argument(
        "--repo", metavar="DIR", default=".", help="the repository (default: .)"
    )
    repo.complete = declare.FOLDER
    folder = parser.add_argument(
        "--dir", metavar="DIR", default="", help="the folder that holds artifacts/ (default: .)"
    )
    folder.complete = declare.FOLDER
    run = parser.add_argument(
        "--run", metavar="RUN", default="", help="the run whose artifacts are judged"
    )
    run.complete = declare.FOLDER
    parser.add_argument(
        "--check-evidence",
        action="store_true",
        help="plan_check: every path that a result names as its evidence must exist",
    )
    declare.runsdir(parser)


def execute(options: Namespace) -> Result:
    """Ask it."""
    from custody import change
    from custody.cli import config
    from custody.errors import UsageError
    from custody.store.index import find_run

    if options.run and options.dir:
        raise UsageError("--run and --dir name two folders", hint="leave one of them out")
    folder = options.dir or "."
    if options.run:
        folder = find_run(options.run, config.setting("runsdir", options.runsdir))
    report = change.gate(
        options.name,
        repo=options.repo,
        folder=folder,
        check_evidence=options.check_evidence,
        confinement=config.setting("confinement", ""),
    )
    passed = report.result == "passed"
    return Result(data=report, text=_lines(report), status="PASS" if passed else "FAIL")


def _lines(report: GateReport) -> Iterator[Line]:
    from custody.cli.render.table import count

    for command in report.commands:
        ended = "was ended" if command.exit_code is None else f"exit code {command.exit_code}"
        yield Line(f"{command.cmd}  {ended}", "good" if command.exit_code == 0 else "bad", hang=2)
    for verdict in report.verdicts:
        yield Line(f"{verdict.code}  {verdict.reason}", "bad", hang=2)
    for note in report.notes:
        yield from (Line(f"note: {line}", "faint", hang=2) for line in note.splitlines())
    if report.result == "not_executed":
        yield Line(f"not executed  {report.gate}: {report.reason}", "warn", hang=2)
    elif report.result == "failed":
        yield Line(f"failed  {report.gate}: {count(len(report.verdicts), 'thing')} wrong", "bad")
    else:
        yield Line(f"passed  {report.gate}", "good")
