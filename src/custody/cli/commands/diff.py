"""Show what a run changed, file by file."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "Show what a run changed in its workspace, file by file; with a stage, what each attempt at\n"
    "it changed. The text is a patch: `git apply` takes it."
)
EXAMPLES = ("custody diff last", "custody diff last fix", "custody diff last > changes.patch")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    declare.run(parser)
    parser.add_argument(
        "node", metavar="NODE", nargs="?", default="", help="only what this stage changed"
    )
    parser.add_argument("--names", action="store_true", help="only the paths, without the text")


def execute(options: Namespace) -> Result:
    """Show the changes."""
    from custody import api
    from custody.cli import config

    files = api.changes(
        options.run, options.node, runsdir=config.setting("runsdir", options.runsdir)
    )
    if options.json:
        return Result(data={"changes": [_document(file) for file in files]}, text=())
    return Result(data=None, text=_lines(files, names=options.names), verbatim=True)


def _document(file: Any) -> dict[str, Any]:
    from custody.cli.render.patch import patch

    return {
        "folder": file.folder,
        "kept": file.kept,
        **{name: getattr(file.change, name) for name in ("path", "change", "before", "after")},
        "diff": "\n".join(patch(file)),
    }


def _lines(files: Iterator[Any], *, names: bool) -> Iterator[Line]:
    from custody.cli.render.patch import heading, patch_lines

    nothing = True
    for file in files:
        nothing = False
        if names:
            yield Line(heading(file))
        else:
            yield from patch_lines(file)
    if nothing:
        yield Line("nothing was changed")
