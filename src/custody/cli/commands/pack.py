"""Copy the pieces of a repository that a request names."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.change import Packed

ABOUT = (
    "Make the context pack that a file request asks for: the mandatory documents, then each need\n"
    "in its order, copied byte for byte within the budget. What is left out is listed with its\n"
    "reason. The same repository and request give the same bytes. If no pack can be made, the\n"
    "exit code is 1, and with --output, a file beside it that ends in .failure.json has the code."
)
EXAMPLES = (
    "custody pack file_request.json > context_pack.json",
    "custody pack file_request.json --repo ../site --output context_pack.json",
)


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    request = parser.add_argument(
        "request", metavar="REQUEST", help="a file request; `custody schema file_request`"
    )
    request.complete = declare.FILE
    repo = parser.add_argument(
        "--repo", metavar="DIR", default=".", help="the repository that is read (default: .)"
    )
    repo.complete = declare.FOLDER
    parser.add_argument(
        "--index",
        metavar="DIGEST",
        default="",
        help="fill the remaining room with what the index of that digest finds for the goal; "
        "`custody seek status` prints the digest",
    )
    output = parser.add_argument(
        "--output",
        metavar="FILE",
        default="",
        help="where to write the pack, whole or not at all (default: standard output)",
    )
    output.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """Make the pack."""
    from custody import change

    made = change.pack(
        options.request, repo=options.repo, output=options.output, index=options.index
    )
    if options.output:
        return Result(data=_told(made, options.output), text=_lines(made, options.output))
    return Result(data=made.pack, text=_lines(made, ""), raw=[made.data])


def _told(made: Packed, output: str) -> dict[str, object]:
    return {
        "output": output,
        "sha256": made.sha256,
        "bytes": len(made.data),
        "files": len(made.pack.files),
        "omitted": made.pack.omitted,
        "summary": made.pack.summary,
    }


def _lines(made: Packed, output: str) -> Iterator[Line]:
    """Tell what is not there as it was asked for, and how much is."""
    for file in made.pack.files:
        if file.truncated:
            kept = len(file.content.encode())
            yield Line(f"{file.path}  truncated after {kept} bytes", "warn", hang=2)
    for omission in made.pack.omitted:
        yield Line(f"{omission.path or '(no path)'}  left out: {omission.reason}", "warn", hang=2)
    yield Line(made.pack.summary, "good", hang=2)
    if output:
        yield Line(f"{output}  sha256 {made.sha256}")
