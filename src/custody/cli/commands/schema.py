"""Print the JSON Schema of a file or an event."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from custody.cli.result import Arguments, Line, Result

ABOUT = (
    "Print the JSON Schema of a file of the run directory or of an event. Without a name, list\n"
    "the names."
)
EXAMPLES = ("custody schema", "custody schema manifest", "custody schema event.StageFailed")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", default="", help="such as manifest, summary or event"
    )


def execute(options: Namespace) -> Result:
    """Print one schema, or the names of all."""
    from custody.model.schemas import SCHEMAS, json_schema

    if not options.name:
        return Result(data=list(SCHEMAS), text=[Line(name) for name in SCHEMAS])
    schema = json_schema(options.name)
    return Result(data=schema, text=_pretty(schema))


def _pretty(schema: dict[str, object]) -> Iterator[Line]:
    from custody.model.record import encode_pretty

    return map(Line, encode_pretty(schema).decode().rstrip("\n").split("\n"))
