"""`custody seek search`: pieces of evidence that fit some words."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from custody.cli.result import Arguments, Line, Result
from custody.cli.seek.opening import opened
from custody.errors import UsageError

if TYPE_CHECKING:
    from custody.seek.hits import Hit

COUNT = 10
_SHOWN = 3
"""Lines of a hit that a person sees."""
_COLUMNS = 74
"""What is shown of each."""


def arguments(parser: Arguments) -> None:
    """Declare what is sought, and how much of it."""
    parser.add_argument("--limit", metavar="N", type=int, help="search: so many hits (default: 10)")
    parser.add_argument(
        "--each", metavar="N", type=int, help="search: so many of one source (default: 1)"
    )
    parser.add_argument(
        "--kind",
        metavar="KIND",
        dest="kinds",
        action="append",
        default=[],
        help="search: only sources of that kind, such as patch, attachment, document or code; "
        "may be repeated",
    )
    parser.add_argument(
        "--words-only",
        action="store_true",
        help="search: leave vectors out; what comes then follows from the contents alone",
    )


def execute(options: Namespace) -> Result:
    """Search, and have what was found."""
    from custody.seek.hits import cite, packet
    from custody.seek.records import Query

    limit, each = _whole(options.limit, COUNT, "--limit"), _whole(options.each, 1, "--each")
    text = " ".join(options.words)
    if not text:
        raise UsageError("search needs words", hint="custody seek search retry policy")
    with opened(options, begun=True) as (_, index, resolver, root):
        query = Query(
            text=text,
            count=limit,
            each=each,
            root=root,
            kinds=tuple(options.kinds),
            words_only=options.words_only,
        )
        answer = index.search(query)
        hits = cite(answer.hits, resolver)
    if options.output:
        from custody import api
        from custody.model.record import encode_pretty

        api.save(options.output, encode_pretty(packet(text, hits)))
    data = {
        "status": "PASS",
        "query": text,
        "legs": answer.legs,
        "notes": answer.notes,
        "hits": hits,
    }
    return Result(data=data, text=_lines(hits, answer.notes, options.output))


def _whole(given: int | None, default: int, name: str) -> int:
    if given is not None and given < 1:
        raise UsageError(f"{name} is a number from 1 on")
    return default if given is None else given


def _lines(hits: Sequence[Hit], notes: Sequence[str], output: str) -> Iterator[Line]:
    from custody.cli.render.table import count
    from custody.cli.render.terminal import cut

    for hit in hits:
        place = hit.reference.lines
        lines = f"  lines {place[0]}-{place[1]}" if place else ""
        yield Line(
            f"{hit.score:.2f}  {hit.title or hit.reference.source_id}{lines}", "strong", hang=6
        )
        yield Line(f"      {hit.reference.artifact_uri}", "faint")
        if hit.unresolved:
            yield Line(f"      {hit.unresolved}: {hit.reason}", "warn", hang=8)
        shown = [line for line in hit.reference.excerpt.split("\n") if line.strip()]
        for line in shown[:_SHOWN]:
            yield Line(f"      {cut(line, _COLUMNS)}")
    for note in notes:
        yield Line(note, "warn", hang=2)
    found = count(len(hits), "hit") if hits else "nothing found"
    yield Line(f"{found}{f', as a packet in {output}' if output else ''}", "" if hits else "faint")
