"""Sign the packet of a run."""

from __future__ import annotations

from argparse import Namespace

from custody.cli.result import Line, Result

TAKES = ("key", "output")
NEEDS = ("key", "output")


def execute(options: Namespace) -> Result:
    """Verify the run, sign, and write the envelope."""
    from custody import api, attest
    from custody.cli import config

    runsdir = config.setting("runsdir", options.runsdir)
    data = attest.sign(options.subject, options.key, runsdir=runsdir)
    api.save(options.output, data)
    said = f"wrote {options.output}: {len(data)} bytes"
    return Result(data={"output": options.output, "bytes": len(data)}, text=[Line(said)])
