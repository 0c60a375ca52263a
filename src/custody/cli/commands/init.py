"""Write a small pipeline to start from."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "Write a pipeline that runs offline as it stands, recorded answers for it, and a file of\n"
    "settings. Nothing is overwritten: where one of the files exists, none is written. In a git\n"
    "repository .gitignore gets the line `.custody/`, so that no run is committed."
)
EXAMPLES = ("custody init", "custody init greeting && cd greeting && custody run pipeline.dot")
IGNORED = ".custody/"
FILES = ("pipeline.dot", "answers.json", "custody.toml")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    folder = parser.add_argument(
        "folder", metavar="DIR", nargs="?", default=".", help="folder (default: the current one)"
    )
    folder.complete = declare.FOLDER


def execute(options: Namespace) -> Result:
    """Write the sample."""
    from importlib.resources import files

    from custody import api

    sample = files("custody.cli") / "sample"
    written = api.scaffold(
        options.folder, {name: (sample / name).read_bytes() for name in FILES}, ignored=IGNORED
    )
    return Result(data={"written": written}, text=_lines(written, options.folder))


def _lines(written: tuple[str, ...], folder: str) -> Iterator[Line]:
    import shlex

    for path in written:
        yield Line(f"wrote {path}")
    enter = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    yield Line(f"next: {enter}custody run pipeline.dot")
