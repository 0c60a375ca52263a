"""The end of a run on one page: what failed first, then everything else."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from custody.cli.render.progress import tone
from custody.cli.render.table import count, seconds, table
from custody.cli.result import Line, Tone
from custody.model.documents import StageSummary, Summary
from custody.model.fact import RunStatus

SHOWN_STAGES = 40
SHOWN_CHANGES = 20
SHOWN_FAILURE_LINES = 12
SHOWN_STAND_INS = 3
HEADINGS = ("stage", "type", "outcome", "attempts", "time", "changed", "evidence")
_TONES: dict[RunStatus, Tone] = {"PASS": "good", "FAIL": "bad", "RUNNING": "warn"}


class Location(NamedTuple):
    """Where a run is, and what to type for it."""

    path: str
    name: str
    """Its id where that is enough to find it, else its path."""


def report(
    summary: Summary,
    place: Location,
    *,
    failures: Mapping[str, str] | None = None,
    whole: bool = False,
) -> Iterator[Line]:
    """Return the page; ``failures`` is what the failed nodes left, ``whole`` cuts nothing."""
    yield Line(
        f"{summary.status}  {summary.pipeline}  run {summary.run_id}", _TONES[summary.status]
    )
    yield from _failing_part(summary, place, failures or {})
    yield from _to_know(summary, whole=whole)
    yield Line("")
    yield from _stages(summary.stages, whole=whole)
    yield Line("")
    yield from _changed(summary.changed, whole=whole)
    yield Line("")
    yield Line(f"evidence: {place.path}")
    yield Line(f"head:     {summary.head}")
    for index, command in enumerate(_following(summary, place)):
        yield Line(f"{'next:' if index == 0 else '':<9} {command}")


def failing(summary: Summary) -> tuple[StageSummary, ...]:
    """Return the stages that a failed run failed by: one row for each node."""
    if summary.status != "FAIL":
        return ()
    failed = {row.node: row for row in summary.stages if row.outcome in {"fail", "retry"}}
    unhandled = tuple(row for node, row in failed.items() if node in summary.unhandled)
    return unhandled or tuple(failed.values())[-1:]


def _failing_part(summary: Summary, place: Location, failures: Mapping[str, str]) -> Iterator[Line]:
    if summary.reason:
        yield Line(f"  {summary.reason}")
    for row in failing(summary):
        yield Line(f"  {row.node}: {row.failure_reason or row.outcome}", "bad")
        for line in failures.get(row.node, "").rstrip().split("\n")[-SHOWN_FAILURE_LINES:]:
            if line:
                yield Line(f"    {line}")
        yield Line(f"    evidence: {place.path}/{row.folder}")


def _to_know(summary: Summary, *, whole: bool) -> Iterator[Line]:
    """Return what a reader must know before he relies on the rest."""
    for warning in summary.warnings or ():
        yield Line(f"  warning: {warning}", "warn")
    for name, nodes in (summary.stand_ins or {}).items():
        shown = ", ".join(nodes if whole else nodes[:SHOWN_STAND_INS])
        more = "" if whole or len(nodes) <= SHOWN_STAND_INS else ", …"
        yield Line(f"  no agent worked on {shown}{more}: {name} stood in for one", "warn")


def _stages(stages: tuple[StageSummary, ...], *, whole: bool) -> Iterator[Line]:
    shown = stages if whole else stages[-SHOWN_STAGES:]
    heading, *rows = table(HEADINGS, [_cells(row) for row in shown])
    yield Line(heading, "strong")
    if len(shown) < len(stages):
        yield Line(f"… {count(len(stages) - len(shown), 'stage')} before these", "faint")
    for row, text in zip(shown, rows, strict=True):
        yield Line(text, tone(row.outcome))


def _cells(row: StageSummary) -> tuple[str, ...]:
    evidence = f"{row.folder}  {row.failure_reason}" if row.failure_reason else row.folder
    return (
        row.node,
        row.type,
        row.outcome,
        str(row.attempts),
        seconds(row.seconds),
        str(row.changed) if row.changed else "-",
        evidence,
    )


def _changed(paths: tuple[str, ...], *, whole: bool) -> Iterator[Line]:
    if not paths:
        yield Line("changed files: none")
        return
    yield Line(f"changed files: {len(paths)}", "strong")
    shown = paths if whole else paths[:SHOWN_CHANGES]
    for path in shown:
        yield Line(f"  {path}")
    if len(shown) < len(paths):
        yield Line(f"  … and {len(paths) - len(shown)} more", "faint")


def _following(summary: Summary, place: Location) -> Iterator[str]:
    """Return the commands worth trying after this."""
    name = shlex.quote(place.name)
    if summary.status == "RUNNING":
        yield f"custody resume {name}"
        return
    for row in failing(summary)[:1]:
        yield f"custody show {name} {row.node}"
    if summary.changed:
        yield f"custody diff {name}"
    yield f"custody verify {name}"
