"""Point at evidence, check it, and sign and anchor the packets of runs."""

from __future__ import annotations

from argparse import Namespace

from custody.cli import options as declare
from custody.cli.result import Arguments, Result
from custody.errors import UsageError

ABOUT = (
    "`parse` says what an evidence uri means, `resolve` has what it points at, `quote` makes a\n"
    "reference to lines of a FILE or a URI. Where evidence may be is said by [evidence] in your\n"
    "own configuration, never by a repository.\n"
    "A packet holds claims, each with its evidence, why it holds, what it leaves open, and how to\n"
    "check it again; a run that ends leaves one. `verify` resolves all evidence of RUN, or of a\n"
    "packet in a FILE, and tells exact, moved, changed, misquoted, gone and unreachable apart.\n"
    "`sign` puts the packet of RUN into an in-toto statement and signs it (DSSE, Ed25519); `key`\n"
    "makes a key, `verify-signature` checks FILE. `anchor` puts the head of RUN into a tag of a\n"
    "git repository, or has a time-stamping authority sign it; `anchored` compares them."
)
EXAMPLES = (
    "custody evidence parse https://example.org/report.txt",
    "custody evidence quote docs/README.md --lines 1-3",
    "custody evidence verify last",
    "custody evidence verify packet.json --run copies/r1 --output checked.json",
    "custody evidence key mine",
    "custody evidence sign last --key mine --output r1.dsse.json",
    "custody evidence verify-signature r1.dsse.json --key mine.pub",
    "custody evidence anchor last --git .",
    "custody evidence anchored last --git .",
)
ACTIONS = {
    "parse": "custody.cli.evidence.parse",
    "resolve": "custody.cli.evidence.resolve",
    "quote": "custody.cli.evidence.quote",
    "verify": "custody.cli.evidence.verify",
    "key": "custody.cli.evidence.key",
    "sign": "custody.cli.evidence.sign",
    "verify-signature": "custody.cli.evidence.verify_signature",
    "anchor": "custody.cli.evidence.anchor",
    "anchored": "custody.cli.evidence.anchored",
}
"""The module of each action, with its function ``execute`` and the options that it takes."""
_OPTIONS = ("lines", "run", "output", "key", "git", "tsa", "stamp", "roots")


def arguments(parser: Arguments) -> None:
    """Declare the arguments."""
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help=", ".join(ACTIONS))
    subject = parser.add_argument(
        "subject",
        metavar="URI|RUN|FILE",
        help="an evidence uri, a document, a run, a packet, an envelope, or the file of a new key",
    )
    subject.complete = declare.FILE
    declare.runsdir(parser)
    parser.add_argument(
        "--lines", metavar="A-B", default="", help="quote: the lines, such as 3-9 (default: from 1)"
    )
    for name, metavar, text in (
        ("run", "RUN", "verify: the run directory that a packet's own files are in"),
        (
            "output",
            "FILE",
            "resolve: the content; verify: the packet as found; sign, anchor: the result",
        ),
        ("key", "FILE", "sign: the secret key; verify-signature: the public one"),
        ("git", "REPO", "anchor, anchored: the repository that has the tag"),
        ("tsa", "URL", "anchor: the time-stamping authority (RFC 3161)"),
        ("stamp", "FILE", "anchored: the time stamp that `anchor --tsa` wrote"),
        ("roots", "FILE", "anchored: the authority's root certificates, in PEM"),
    ):
        option = parser.add_argument(f"--{name}", metavar=metavar, default="", help=text)
        option.complete = declare.FILE


def execute(options: Namespace) -> Result:
    """Do what the action says."""
    from importlib import import_module

    module = import_module(ACTIONS[options.action])
    for name in _OPTIONS:
        if getattr(options, name) and name not in module.TAKES:
            raise UsageError(f"{options.action} takes no --{name}")
    for name in module.NEEDS:
        if not getattr(options, name):
            raise UsageError(f"{options.action} needs --{name}")
    result: Result = module.execute(options)
    return result
