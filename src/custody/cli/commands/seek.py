"""Find evidence by what it says."""

from __future__ import annotations

import os
from argparse import Namespace
from importlib import import_module
from typing import Any

from custody.cli import options as declare
from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError

ABOUT = (
    "Find pieces of patches, attachments and documents by their words and by what is like them.\n"
    "`index` adds what the logbook points at, and the documents of the repository you are in; it\n"
    "reads only what is new, and drops what is gone. `search` gives hits that are evidence: a\n"
    "uri, a sha256, lines and an excerpt. --output writes a packet for `custody evidence verify\n"
    "P`. `eval` measures the search on the logbook's own history and chooses the weight of each\n"
    "leg; one that does not help is switched off. `status` says what the index holds. The index\n"
    "is in the logbook's own database. SEEKDB_ENABLE=0 switches the search off."
)
EXAMPLES = (
    "custody seek index",
    'custody seek index "docs/**/*.md" "*.py"',
    "custody seek search retry policy --limit 5",
    "custody seek search retry policy --output packet.json",
    "custody seek eval",
    "custody seek status --json",
)
ACTIONS: dict[str, tuple[str, ...]] = {
    "index": ("rebuild", "no_documents", "words"),
    "eval": ("questions", "dry_run"),
    "search": ("limit", "each", "kinds", "words_only", "output", "words"),
    "status": (),
}
"""Each a module of `custody.cli.seek`, with the options that it takes."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=tuple(ACTIONS), help=", ".join(ACTIONS))
    parser.add_argument(
        "words",
        metavar="WORD|PATTERN",
        nargs="*",
        help="search: what to look for; index: which documents, as patterns like those of "
        ".gitignore, which are remembered (default: texts such as *.md)",
    )
    declare.logbook(parser)
    output = parser.add_argument(
        "--output", metavar="FILE", default="", help="search: write the hits as a packet"
    )
    output.complete = declare.FILE
    for action in ACTIONS:
        _module(action).arguments(parser)


def execute(options: Namespace) -> Result:
    """Do what was asked for, unless the search is switched off."""
    from custody.seek.switch import SKIPPED, is_enabled

    for name in sorted({name for taken in ACTIONS.values() for name in taken}):
        if getattr(options, name) and name not in ACTIONS[options.action]:
            said = repr(options.words[0]) if name == "words" else f"--{_spelled(name)}"
            raise UsageError(f"{options.action} takes no {said}")
    if not is_enabled(os.environ):
        return Result(data={"status": "SKIPPED", "reason": SKIPPED}, text=[Line(SKIPPED, "warn")])
    result: Result = _module(options.action).execute(options)
    return result


def _spelled(name: str) -> str:
    return "kind" if name == "kinds" else name.replace("_", "-")


def _module(action: str) -> Any:
    return import_module(f"custody.cli.seek.{action}")
