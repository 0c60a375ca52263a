"""Write the fenced files of a document that no run wrote."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.ingest.standalone import IngestedFile

ABOUT = (
    "Write the fenced files of a document that no run wrote into `workspace/` of a folder, by the\n"
    "same rules as a run. An existing file is never replaced. `ingest.manifest.json` in that\n"
    "folder says what happened to every block. The exit code is 1 if a block was rejected."
)
EXAMPLES = ("custody ingest answer.md", "custody ingest answer.md --project site --json")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    document = parser.add_argument("document", metavar="DOC", help="a Markdown file")
    document.complete = declare.FILE
    project = parser.add_argument(
        "--project",
        metavar="DIR",
        default=".",
        help="folder that has, or gets, `workspace/` (default: .)",
    )
    project.complete = declare.FOLDER


def execute(options: Namespace) -> Result:
    """Ingest the document."""
    from custody import api

    done = api.ingest(options.document, project=options.project)
    wrong = done.manifest.summary.rejected or done.problems
    return Result(data=done, text=_lines(done), status="FAIL" if wrong else "PASS")


def _lines(done: IngestedFile) -> Iterator[Line]:
    from custody.cli.render.ingests import blocks, tally

    yield from blocks(done.document, whole=True)
    yield Line(f"{tally(done.document)}: {done.path}")
