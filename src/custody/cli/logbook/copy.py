"""`custody logbook copy`: to another database, and another store of artifacts."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.logbook.opening import logbook, named
from custody.cli.result import Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.logbook.copy import Copied


def execute(options: Namespace) -> Result:
    """Copy what is missing there."""
    from custody.logbook.configured import opened, places
    from custody.logbook.copy import copy

    if not options.to:
        raise UsageError("copy needs --to URL", hint="a file, or postgresql://…")
    here, there = named(options), places(options.to, options.to_artifacts)
    if here.logbook == there.logbook:
        raise UsageError("a logbook is not copied onto itself", where=options.to)
    with logbook(options, begun=True) as (source, old), opened(*there) as (target, new):
        stores = None if here.artifacts == there.artifacts else (old, new)
        copied = copy(source, target, artifacts=stores)
        where = target.database.where
    told = {"to": where, "to_artifacts": there.artifacts, "rows": copied.rows}
    return Result(data={**told, "artifacts": copied.artifacts}, text=_lines(copied, where))


def _lines(copied: Copied, where: str) -> Iterator[Line]:
    from custody.cli.render.table import count

    for table, rows in copied.rows.items():
        if rows:
            yield Line(f"{table}  {count(rows, 'new row')}")
    new = f"{count(sum(copied.rows.values()), 'new row')}, {count(copied.artifacts, 'artifact')}"
    yield Line(f"copied to {where}: {new}", "good", hang=2)
