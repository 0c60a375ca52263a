"""Keep pointers to evidence over many runs and repositories."""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module

from custody.cli import options as declare
from custody.cli.result import Arguments, Result
from custody.errors import UsageError

ABOUT = (
    "Keep evidence in the logbook, which stores where it is and its sha256, never the bytes.\n"
    "`add` takes files, or what a run left; `sync-git` and `sync-svn` take the new patches of a\n"
    "repository's history. `show` lists what is there, `verify` reads all of it again, `migrate`\n"
    "creates missing tables, `copy` moves to another database. A logbook is an SQLite file or a\n"
    "PostgreSQL database; the bytes are in a folder or in S3."
)
EXAMPLES = (
    "custody logbook add report.txt --item review-7",
    "custody logbook add --run last",
    "custody logbook sync-git . --name main",
    "custody logbook show attachments",
    "custody logbook verify",
    "custody logbook copy --to postgresql://me@server/evidence",
)
ACTIONS = {
    "add": ("add", ("item", "kind", "title", "run", "runsdir")),
    "show": ("show", ("after", "limit")),
    "sync-git": ("sync", ("name", "revision")),
    "sync-svn": ("sync", ("name",)),
    "migrate": ("migrate", ()),
    "verify": ("verify", ("head",)),
    "copy": ("copy", ("to", "to_artifacts")),
}
"""Each the module of `custody.cli.logbook` that does it, and the options that it takes."""
_WITH_SUBJECTS = ("add", "show", "sync-git", "sync-svn")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=tuple(ACTIONS), help=", ".join(ACTIONS))
    subjects = parser.add_argument(
        "subjects",
        metavar="FILE|REPO|PART",
        nargs="*",
        help="add: files; sync: a repository (default: the current folder); show: items, "
        "attachments, patches, events or repos",
    )
    subjects.complete = declare.FILE
    declare.logbook(parser)
    declare.runsdir(parser)
    for name, metavar, text in (
        ("item", "NAME", "add: what the files belong to (default: files)"),
        ("kind", "KIND", "add: what they are (default: file)"),
        ("title", "TEXT", "add: the title of a new item"),
        ("run", "RUN", "add: a run's packet, journal and documents"),
        ("name", "NAME", "sync: what the repository is called (default: its place)"),
        ("revision", "REV", "sync-git: what to follow (default: HEAD)"),
        ("head", "SHA256", "verify: a hash that the events must have"),
        ("to", "URL", "copy: the logbook to copy to"),
        ("to-artifacts", "URL", "copy: where its artifacts go"),
    ):
        parser.add_argument(f"--{name}", metavar=metavar, default="", help=text)
    parser.add_argument("--limit", metavar="N", type=int, help="show: how many (default: 100)")
    parser.add_argument(
        "--after", metavar="ID", type=int, default=0, help="show: start after this one"
    )


def execute(options: Namespace) -> Result:
    """Do what was asked for."""
    module, taken = ACTIONS[options.action]
    for name in sorted({name for _, others in ACTIONS.values() for name in others}):
        if getattr(options, name) and name not in taken:
            raise UsageError(f"{options.action} takes no --{name.replace('_', '-')}")
    if options.subjects and options.action not in _WITH_SUBJECTS:
        raise UsageError(f"{options.action} takes no {options.subjects[0]!r}")
    result: Result = import_module(f"custody.cli.logbook.{module}").execute(options)
    return result
