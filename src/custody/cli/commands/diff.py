"""Show what a run changed, file by file."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any, TypeVar

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "Show what a run changed in its workspace, file by file; with a stage, what each attempt at\n"
    "it changed. Into a file or a pipe, it prints a patch for `git apply --binary`. What git\n"
    "cannot hold, such as an empty folder, appears only on the terminal and with --names."
)
EXAMPLES = ("custody diff last", "custody diff last fix", "custody diff last > changes.patch")
NOTHING = "nothing was changed"

_T = TypeVar("_T")


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
    if options.names:
        return Result(data=None, text=_names(files), verbatim=True)
    return Result(data=None, text=_lines(files), raw=_patch(files, headed=bool(options.node)))


def _document(file: Any) -> dict[str, Any]:
    from custody.cli.render.patch import readable

    return {
        "folder": file.folder,
        "kept": file.kept,
        **{name: getattr(file.change, name) for name in ("path", "change", "before", "after")},
        "diff": readable(file),
    }


def _names(files: Iterator[Any]) -> Iterator[Line]:
    from custody.cli.render.patch import heading

    return _or_nothing((Line(heading(file)) for file in files), Line(NOTHING))


def _lines(files: Iterator[Any]) -> Iterator[Line]:
    from custody.cli.render.patch import patch_lines

    lines = (line for file in files for line in patch_lines(file))
    return _or_nothing(lines, Line(NOTHING))


def _patch(files: Iterator[Any], *, headed: bool) -> Iterator[bytes]:
    """Yield the patch; attempts at a stage may repeat each other, so a heading tells them apart."""
    from custody.cli.render.patch import heading, patch

    parts = ((f"{heading(file)}\n".encode() if headed else b"") + patch(file) for file in files)
    return _or_nothing(parts, f"{NOTHING}\n".encode())


def _or_nothing(items: Iterator[_T], nothing: _T) -> Iterator[_T]:
    first = next(items, nothing)
    yield first
    yield from items
