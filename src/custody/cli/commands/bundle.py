"""Put what explains a failed change into one file, or list one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import MalformedDocument, UsageError
from custody.model import layout

ABOUT = (
    "Write the bundle of a run: its account, journal, plan, patch, reviews, prompts and logs, as\n"
    "text, without secrets. The same run gives the same bytes. With --check, list what a bundle\n"
    "from elsewhere contains; one that could harm the person who unpacks it is refused."
)
EXAMPLES = (
    "custody bundle last",
    "custody bundle last -o why.zip",
    "custody bundle --check why.zip",
)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="", help="id, unique prefix, directory, or `last`"
    )
    declare.runsdir(parser)
    output = parser.add_argument(
        "-o", "--output", metavar="FILE", default=layout.BUNDLE, help="where it is written"
    )
    output.complete = declare.FILE
    check = parser.add_argument(
        "--check", metavar="FILE", default="", help="look into a bundle instead of making one"
    )
    check.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """Make it, or look into it."""
    from custody import api, change
    from custody.cli import config

    if bool(options.run) == bool(options.check):
        raise UsageError("name a RUN, or a file by --check")
    if options.check:
        return _checked(options.check)
    runsdir = config.setting("runsdir", options.runsdir)
    data = change.bundle(options.run, runsdir=runsdir)
    api.save(options.output, data)
    said = f"wrote {options.output}: {len(data)} bytes"
    return Result(data={"output": options.output, "bytes": len(data)}, text=iter([Line(said)]))


def _checked(path: str) -> Result:
    from custody.store.root import read_file
    from custody.views.bundle import READ_LIMIT, read_bundle

    try:
        members = read_bundle(read_file(path, limit=READ_LIMIT))
    except MalformedDocument as malformed:
        raise MalformedDocument(malformed.code, malformed.what, where=path) from None
    sizes = {name: len(data) for name, data in members.items()}
    return Result(data={"members": sizes}, text=_lines(sizes))


def _lines(sizes: dict[str, int]) -> Iterator[Line]:
    for name, size in sorted(sizes.items()):
        yield Line(f"{size:>9}  {name}")
