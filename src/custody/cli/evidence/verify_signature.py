"""Check the signature of an envelope, and show what was signed."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError


def arguments(_parser: Arguments) -> None:
    """Declare nothing: what it needs is shared."""


def execute(options: Namespace) -> Result:
    """Check it."""
    from custody import attest
    from custody.cli.render.table import count

    if not options.key:
        raise UsageError("verify-signature needs --key")
    signed = attest.read_signed(options.subject, options.key)
    packet = signed.packet
    claims = count(len(packet.claims), "claim")
    about = f"run {packet.run_id}, {packet.status}" if packet.run_id else packet.title
    return Result(
        data=signed,
        text=[
            Line(f"signed  {claims} about {about}, by key {signed.key}", "good", hang=2),
            Line(f"head {packet.head}", "faint"),
        ],
    )
