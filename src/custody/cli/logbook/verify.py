"""`custody logbook verify`: whether everything in it still holds."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.logbook.opening import logbook
from custody.cli.result import Line, Result

if TYPE_CHECKING:
    from custody.logbook.verify import Verified


def execute(options: Namespace) -> Result:
    """Walk the events, and read what every pointer points at."""
    from custody.logbook.verify import verify

    with logbook(options, begun=True) as (book, store):
        verified = verify(book, store, head=options.head)
    return Result(
        data={"intact": verified.intact, **_told(verified)},
        text=_lines(verified),
        status="PASS" if verified.intact else "FAIL",
    )


def _told(verified: Verified) -> dict[str, object]:
    from msgspec import to_builtins

    told: dict[str, object] = to_builtins(verified)
    return told


def _lines(verified: Verified) -> Iterator[Line]:
    from custody.cli.render.table import count

    for problem in verified.problems:
        yield Line(problem.evidence_uri, "bad")
        yield Line(f"  {problem.what}", hang=4)
    chain = verified.events
    if chain.broken_at:
        yield Line(f"the events break at {chain.broken_at}: {chain.what}", "bad", hang=2)
    if verified.intact:
        found = f"{count(chain.events, 'event')}, {count(verified.pointers, 'pointer')}"
        yield Line(f"intact  {found} and their bytes are what they claim to be", "good", hang=2)
    else:
        wrong = len(verified.problems) + bool(chain.broken_at)
        yield Line(f"not intact: {count(wrong, 'problem')}", "bad")
    yield Line(f"head    {chain.head}", "faint")
