"""`custody logbook add`: files, or what a run left."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from custody.cli.logbook.opening import logbook
from custody.cli.result import Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.logbook.add import Added


def execute(options: Namespace) -> Result:
    """Add them."""
    from custody.cli import config
    from custody.logbook.add import add_files, add_run
    from custody.store.index import find_run

    if bool(options.subjects) == bool(options.run):
        raise UsageError("give exactly one of FILE… and --run RUN")
    with logbook(options) as (book, store):
        if options.run:
            path = find_run(options.run, config.setting("runsdir", options.runsdir))
            added = add_run(book, store, path)
        else:
            name = options.item or "files"
            added = add_files(
                book,
                store,
                options.subjects,
                name=name,
                kind=options.kind or "file",
                title=options.title or name,
            )
        told = [{**_told(one), "evidence_uri": one.evidence_uri} for one in added.attachments]
    return Result(data={"item": added.item, "attachments": told}, text=_lines(added))


def _told(one: object) -> dict[str, object]:
    from msgspec import to_builtins

    told: dict[str, object] = to_builtins(one)
    return told


def _lines(added: Added) -> Iterator[Line]:
    for one in added.attachments:
        yield Line(f"{one.meta.get('name', '')}  {one.kind}", hang=2)
        yield Line(f"  {one.evidence_uri}", "faint")
    yield Line(f"in the logbook: {added.item.kind} {added.item.name!r}", "good")
