"""`custody evidence build`: a packet made of a skeleton."""

from __future__ import annotations

from argparse import Namespace
from itertools import chain

from custody.cli.result import Arguments, Line, Result


def arguments(_parser: Arguments) -> None:
    """Declare nothing: what it needs is shared."""


def execute(options: Namespace) -> Result:
    """Resolve what the skeleton names, and print the packet, or write it to a file."""
    from custody import api, attest
    from custody.cli import config
    from custody.cli.render.table import count
    from custody.evidence.packet import packet_page
    from custody.model.record import encode_pretty

    runsdir = config.setting("runsdir", options.runsdir)
    packet = attest.build(options.subject, runsdir=runsdir, run=options.run)
    if not options.output:
        page = b"".join(packet_page(packet)).decode().rstrip("\n").split("\n")
        return Result(data=packet, text=map(Line, page), verbatim=True)
    is_page = options.output.endswith(".md")
    data = b"".join(packet_page(packet)) if is_page else encode_pretty(packet)
    api.save(options.output, data)
    evidence = count(len(list(chain(*(claim.evidence for claim in packet.claims)))), "reference")
    said = f"wrote {options.output}: {count(len(packet.claims), 'claim')}, {evidence}"
    return Result(data={"output": options.output, "packet": packet}, text=[Line(said)])
