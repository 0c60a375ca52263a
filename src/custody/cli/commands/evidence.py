"""Point at evidence; check, sign and anchor what runs claim."""

from __future__ import annotations

from argparse import Namespace
from importlib import import_module
from typing import Any

from custody.cli import options as declare
from custody.cli.result import Arguments, Result
from custody.errors import UsageError

ABOUT = (
    "Read an evidence uri, fetch what it points at, or quote a piece of it. Your own\n"
    "configuration says where evidence may be, in [evidence]; a repository never does. If the\n"
    "sha256 of the content is not the one in the uri, the content is not handed out.\n"
    "A packet holds claims with their evidence. A run that ends leaves one, and `build` makes one\n"
    "from a skeleton. `verify` resolves all evidence of a RUN or a packet again, and compares\n"
    "what a run claims with its journal. `sign` puts a packet into an in-toto statement and signs\n"
    "that (DSSE, Ed25519). `anchor` puts the head of a RUN into a tag of a git repository, or has\n"
    "a time-stamping authority sign it; `anchored` compares."
)
EXAMPLES = (
    "custody evidence parse https://example.org/report.txt",
    "custody evidence quote docs/README.md --lines 1-3",
    "custody evidence build claims.json --output packet.json",
    "custody evidence verify last",
    "custody evidence verify packet.json --run copies/r1 --output checked.json",
    "custody evidence key mine",
    "custody evidence sign last --key mine --output r1.dsse.json",
    "custody evidence verify-signature r1.dsse.json --key mine.pub",
    "custody evidence anchor last --git .",
    "custody evidence anchored last --git .",
)
ACTIONS: dict[str, tuple[str, ...]] = {
    "parse": (),
    "resolve": ("output",),
    "quote": ("lines",),
    "build": ("output", "run"),
    "verify": ("output", "run"),
    "key": (),
    "sign": ("key", "output"),
    "verify-signature": ("key",),
    "anchor": ("git", "tsa", "output"),
    "anchored": ("git", "stamp", "roots"),
}
"""Each a module of `custody.cli.evidence`, with the options that it takes."""


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=tuple(ACTIONS), help=", ".join(ACTIONS))
    subject = parser.add_argument(
        "subject",
        metavar="URI|FILE|RUN",
        help="a uri; a document, skeleton, packet, envelope, new key; or a run",
    )
    subject.complete = declare.FILE
    declare.runsdir(parser)
    for name, metavar, text in (
        ("output", "FILE", "write what comes to this file"),
        ("run", "RUN", "build, verify: the run whose files memory://docs/… are"),
        ("key", "FILE", "sign: the secret key; verify-signature: the public one"),
        ("git", "REPO", "anchor, anchored: the repository that has the tag"),
    ):
        option = parser.add_argument(f"--{name}", metavar=metavar, default="", help=text)
        option.complete = declare.FILE
    for action in ACTIONS:
        _module(action).arguments(parser)


def execute(options: Namespace) -> Result:
    """Do what was asked for."""
    for name in sorted({name for taken in ACTIONS.values() for name in taken}):
        if getattr(options, name) and name not in ACTIONS[options.action]:
            raise UsageError(f"{options.action} takes no --{name}")
    result: Result = _module(options.action).execute(options)
    return result


def _module(action: str) -> Any:
    return import_module(f"custody.cli.evidence.{action.replace('-', '_')}")
