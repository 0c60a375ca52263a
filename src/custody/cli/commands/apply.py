"""Take over what a run changed, to its source or as a commit."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.engine.apply import Applied

ABOUT = (
    "Take over what a run changed, to the folder it was copied from: everything or nothing. A\n"
    "file is touched only if it is still exactly as the run found it; otherwise all conflicts are\n"
    "listed and the exit code is 1. With --branch, the changes become a commit on top of HEAD, on\n"
    "a new branch; files, index and HEAD are not touched. The record is checked first."
)
EXAMPLES = (
    "custody apply last",
    "custody apply last --dry-run",
    "custody apply last --branch fix-totals",
)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    folder = parser.add_argument(
        "--to",
        metavar="DIR",
        help="a folder other than the one the run was copied from",
    )
    folder.complete = declare.FOLDER
    parser.add_argument(
        "--branch",
        metavar="NAME",
        help="make a commit on a new branch of the git repository instead",
    )
    parser.add_argument(
        "--failed",
        action="store_true",
        help="apply a run that failed, or has not ended: the changes of its stages that were kept",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only say what would change; nothing is written"
    )


def execute(options: Namespace) -> Result:
    """Apply it."""
    from custody import api
    from custody.cli import config

    done = api.apply(
        options.run,
        to=_given(options, "to"),
        branch=_given(options, "branch"),
        failed=options.failed,
        dry_run=options.dry_run,
        runsdir=config.setting("runsdir", options.runsdir),
    )
    return Result(data=done, text=_lines(done), status="FAIL" if done.conflicts else "PASS")


def _given(options: Namespace, name: str) -> str:
    """Return where the changes are to go, empty where nothing is said.

    A word that a shell left empty says nothing either, but whoever typed it meant another place
    than the files that would be changed without it: `UsageError` is raised.
    """
    given: str | None = vars(options)[name]
    if given == "":
        raise UsageError(f"--{name} is empty", hint="is a variable of the shell not set?")
    return given or ""


def _lines(done: Applied) -> Iterator[Line]:
    from custody.cli.render.table import count

    if done.finished:
        yield Line(f"what was broken off of run {done.finished} was finished or undone first")
    if done.conflicts:
        yield from _conflicts(done)
        return
    for change in done.changes:
        yield Line(f"{change.change:<8} {change.path}")
    for path in done.left_out:
        yield Line(f"left out {path}", "faint")
    if done.unchanged:
        paths = count(len(done.unchanged), "path")
        said = "is as the run left it" if len(done.unchanged) == 1 else "are as the run left them"
        yield Line(f"{paths} {said} already", "faint")
    said = _said(done, count(len(done.changes), "change"))
    yield Line(said, "good" if done.changes else "", hang=2)
    if done.commit:
        yield Line(f"next: git diff HEAD...{shlex.quote(done.branch)}")


def _said(done: Applied, changes: str) -> str:
    run = f"run {done.run_id} ({done.verdict})"
    if not done.changes:
        return f"nothing to take over from {run}"
    if done.dry_run:
        place = f"branch {done.branch}" if done.branch else done.folder
        return f"{changes} of {run} would go to {place}"
    if done.branch:
        return f"{changes} of {run} went into commit {done.commit[:12]} on branch {done.branch}"
    return f"{changes} of {run} taken over to {done.folder}"


def _conflicts(done: Applied) -> Iterator[Line]:
    from custody.cli.render.table import count

    found = count(len(done.conflicts), "conflict")
    yield Line(f"nothing was changed: {found} in {done.folder}", "bad", hang=2)
    for conflict in done.conflicts:
        yield Line(f"  {conflict.path}: {conflict.what}", hang=4)
    if done.branch:
        hint = "commit what the run began with, or apply without --branch"
    else:
        hint = "put them back as the run found them, or choose another folder with --to"
    yield Line(f"hint: {hint}", hang=2)
