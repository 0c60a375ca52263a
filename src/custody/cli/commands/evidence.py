"""Point at evidence, and have what is pointed at."""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module
from typing import Any

from custody.cli import options as declare
from custody.cli.result import Arguments, Result

ABOUT = (
    "Read an evidence uri, have what it points at, or make a reference to a piece of it. Where\n"
    "evidence may be is said by [evidence] in your own configuration, never by a repository.\n"
    "Content that is not of the sha256 which a uri names is not handed out."
)
EXAMPLES = (
    "custody evidence parse https://example.org/report.txt",
    "custody evidence quote docs/README.md --lines 1-3",
)
ACTIONS = ("parse", "resolve", "quote")
"""Each a module of `custody.cli.evidence`."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help=", ".join(ACTIONS))
    subject = parser.add_argument(
        "subject", metavar="URI|FILE", help="an evidence uri; to quote, also a document"
    )
    subject.complete = declare.FILE
    output = parser.add_argument(
        "--output", metavar="FILE", default="", help="write what comes to a new file"
    )
    output.complete = declare.FILE
    for action in ACTIONS:
        _module(action).arguments(parser)


def execute(options: Namespace) -> Result:
    """Do what was asked for."""
    result: Result = _module(options.action).execute(options)
    return result


def _module(action: str) -> Any:
    return import_module(f"custody.cli.evidence.{action.replace('-', '_')}")
