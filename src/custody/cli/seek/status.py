"""`custody seek status`: what the index holds, and whether it can be searched."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from custody.cli.result import Arguments, Line, Result
from custody.cli.seek.opening import opened


def arguments(_parser: Arguments) -> None:
    """Declare nothing: it takes no option of its own."""


def execute(options: Namespace) -> Result:
    """Tell what there is; an index of other versions makes the exit code 1."""
    from custody.errors import SeekFailed
    from custody.seek.update import unresolved

    with opened(options) as (_, index, _resolver, root):
        stamp, wrong, hint = index.stamped(), "", ""
        try:
            index.refuse_another()
        except SeekFailed as failed:
            wrong, hint = failed.what, failed.hint
        data: dict[str, Any] = {
            "status": "FAIL" if wrong else "PASS",
            "logbook": index.database.where,
            "index": index.stats(),
            "digest": index.digest(),
            "stamp": stamp,
            "wrong": wrong,
            "model": index.model.name,
            "missing": index.model.missing,
            "note": index.model.note,
            "weights": index.weights(),
            "root": root,
            "patterns": index.patterns(root),
            "unresolved": [one._asdict() for one in unresolved(index)],
        }
    return Result(data=data, text=_lines(data, hint), status="FAIL" if wrong else "PASS")


def _lines(data: Mapping[str, Any], hint: str) -> Iterator[Line]:
    from custody.cli.render.table import count

    stats, stamp, weights = data["index"], data["stamp"], data["weights"]
    made = " ".join((stamp.tokenizer, *stamp.chunkers, stamp.model)) if stamp else "nothing yet"
    legs = f"source {weights.source}, piece {weights.chunk}, vectors {weights.vectors}"
    for name, value in (
        ("logbook", data["logbook"]),
        ("sources", f"{stats.sources} in {count(stats.chunks, 'piece')}, {stats.terms} words"),
        ("vectors", f"{stats.vectors} of {data['model'] or 'no model'}"),
        ("made with", made),
        ("weights", f"{legs}: {weights.why}"),
        ("documents", f"{' '.join(data['patterns'])} below {data['root']}"),
        ("digest", data["digest"]),
    ):
        yield Line(f"{name:<10} {value}", hang=11)
    if stats.unresolved:
        yield Line(f"{count(stats.unresolved, 'source')} not indexed: see --json", "warn")
    for told in filter(None, (data["missing"], data["note"])):
        yield Line(told, "warn", hang=2)
    if data["wrong"]:
        yield Line(data["wrong"], "bad", hang=2)
        yield Line(f"  hint: {hint}")
