"""Resolve all evidence of a packet again."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.result import Arguments, Line, Result

if TYPE_CHECKING:
    from custody.evidence.checked import PacketCheck


def arguments(_parser: Arguments) -> None:
    """Declare nothing: what it needs is shared."""


def execute(options: Namespace) -> Result:
    """Check it; with ``--output`` write the packet with what was found."""
    from custody import api, attest
    from custody.cli import config
    from custody.model.record import encode_pretty

    runsdir = config.setting("runsdir", options.runsdir)
    found, marked = attest.check_packet(options.subject, runsdir=runsdir, run=options.run)
    if options.output:
        api.save(options.output, encode_pretty(marked))
    return Result(data=found, text=_lines(found), status="PASS" if found.valid else "FAIL")


def _lines(found: PacketCheck) -> Iterator[Line]:
    from custody.cli.render.table import count

    for one in found.invalid:
        what = f"{one.found.state}  {one.claim}: {one.found.artifact_uri}: {one.found.reason}"
        yield Line(what, "bad", hang=2)
    for claim in found.unsupported:
        yield Line(f"no evidence  {claim}", "bad", hang=2)
    for what in found.unvouched:
        yield Line(f"not vouched for  {what}", "bad", hang=2)
    checked = f"{count(found.evidence, 'reference')} of {count(found.claims, 'claim')}"
    states = ", ".join(f"{number} {state}" for state, number in sorted(found.states.items()))
    if found.valid:
        yield Line(f"found verbatim  {checked}: {states or 'none'}", "good", hang=2)
        yield Line("whether an excerpt supports its claim is for you to judge", "faint")
    else:
        yield Line(f"invalid  {checked}: {states or 'none'}", "bad", hang=2)
