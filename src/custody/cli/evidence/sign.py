"""Sign the packet of a run."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Arguments, Line, Result
from custody.errors import UsageError


def arguments(_parser: Arguments) -> None:
    """Declare nothing: what it needs is shared."""


def execute(options: Namespace) -> Result:
    """Verify the run, sign, and write the envelope."""
    from custody import api, attest
    from custody.cli import config

    for name in ("key", "output"):
        if not getattr(options, name):
            raise UsageError(f"sign needs --{name}")
    runsdir = config.setting("runsdir", options.runsdir)
    data = attest.sign(options.subject, options.key, runsdir=runsdir)
    api.save(options.output, data)
    said = f"wrote {options.output}: {len(data)} bytes"
    return Result(data={"output": options.output, "bytes": len(data)}, text=[Line(said)])
