"""`custody logbook show`: what a logbook holds."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from custody.cli.logbook.opening import logbook, named
from custody.cli.result import Line, Result
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.logbook.book import Logbook

PARTS = ("items", "attachments", "patches", "events", "repos")
MOST = 100


def execute(options: Namespace) -> Result:
    """Show a part of it, or how much there is of each."""
    what = options.subjects[0] if options.subjects else ""
    if len(options.subjects) > 1 or (what and what not in PARTS):
        raise UsageError(f"show takes one of {', '.join(PARTS)}")
    limit = MOST if options.limit is None else options.limit
    if limit < 1 or options.after < 0:
        raise UsageError("--limit and --after are numbers of entries")
    with logbook(options) as (book, _):
        if not what:
            where = named(options)
            told = {
                "logbook": book.database.where,
                "artifacts": where.artifacts,
                **book.counts(),
            }
            return Result(data=told, text=_pairs(told))
        rows = _rows(book, what, options.after, limit)
    return Result(data={what: rows}, text=_lines(what, rows))


def _rows(book: Logbook, what: str, after: int, limit: int) -> list[Any]:
    match what:
        case "items":
            return list(book.items(after=after, limit=limit))
        case "attachments":
            return list(book.attachments(after=after, limit=limit))
        case "patches":
            return list(book.patches(after=after, limit=limit))
        case "events":
            return list(book.events(after=after, limit=limit))
    return book.repos()


def _pairs(told: dict[str, Any]) -> Iterator[Line]:
    width = max(map(len, told))
    for name, value in told.items():
        yield Line(f"{name:<{width}}  {value}")


def _lines(what: str, rows: list[Any]) -> Iterator[Line]:
    for row in rows:
        match what:
            case "items":
                yield Line(f"{row.item_id}  {row.kind}  {row.name}  {row.title}")
            case "attachments":
                yield Line(f"{row.evidence_uri}  {row.kind}  {row.meta.get('name', '')}")
            case "patches":
                yield Line(f"{row.evidence_uri}  {row.format}  {row.size_bytes} bytes")
            case "events":
                yield Line(f"{row.seq}  {row.ts}  {row.kind}")
            case _:
                yield Line(f"{row.repo_id}  {row.repo_type}  {row.name}  {row.location}")
    if not rows:
        yield Line(f"no {what}", "faint")
