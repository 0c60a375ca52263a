"""Anchor the head of a run."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError


def arguments(parser: Arguments) -> None:
    """Declare the authority."""
    parser.add_argument(
        "--tsa", metavar="URL", default="", help="anchor: the time-stamping authority (RFC 3161)"
    )


def execute(options: Namespace) -> Result:
    """Make a tag, or have an authority stamp it."""
    from custody import attest
    from custody.cli import config

    runsdir = config.setting("runsdir", options.runsdir)
    if bool(options.git) == bool(options.tsa):
        raise UsageError("anchor needs --git REPO or --tsa URL")
    if options.git:
        name = attest.anchor_in_git(options.subject, options.git, runsdir=runsdir)
        push = f"git -C {options.git} push REMOTE refs/tags/{name}"
        said = f"tag {name}; others keep it when it is pushed: `{push}`"
        return Result(data={"tag": name}, text=[Line(said)])
    if not options.output:
        raise UsageError("anchor --tsa needs --output FILE")
    attest.anchor_by_time(options.subject, options.tsa, options.output, runsdir=runsdir)
    return Result(data={"stamp": options.output}, text=[Line(f"wrote {options.output}")])
