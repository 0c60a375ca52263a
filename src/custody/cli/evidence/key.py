"""Make a key to sign with."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Arguments, Line, Result


def arguments(_parser: Arguments) -> None:
    """Declare nothing: the name of the file is all."""


def execute(options: Namespace) -> Result:
    """Write the two files."""
    from custody import attest
    from custody.evidence.keys import PUBLIC

    key = attest.make_key(options.subject)
    public = f"{options.subject}{PUBLIC}"
    return Result(
        data={"key": key, "secret": options.subject, "public": public},
        text=[
            Line(f"key {key}"),
            Line(f"wrote {options.subject}, which stays with you, and {public}, for others"),
        ],
    )
