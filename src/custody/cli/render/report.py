"""The end of a run on one page: what failed first, then everything else."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET

from custody.cli.render.ingests import ingests
from custody.cli.render.progress import tone
from custody.cli.render.table import TableRow, count, fitted, needed, seconds
from custody.cli.render.usage import cost_cell, tokens_cell, totals
from custody.cli.result import Line, Tone
from custody.model.documents import StageSummary, Summary
from custody.model.fact import RunStatus

SHOWN_STAGES = 40
SHOWN_CHANGES = 20
SHOWN_FAILURE_LINES = 12
SHOWN_STAND_INS = 3
CHANGE = "change"
"""The pipeline whose runs `custody change` goes on with."""
_TONES: dict[RunStatus, Tone] = {"PASS": "good", "FAIL": "bad", "RUNNING": "warn"}


class Location(msgspec.Struct, frozen=True):
    """Where a run is, and what to type for it."""

    path: str
    name: str
    """Its id where that is enough to find it, else its path."""
    source: str = "."
    """The folder that it was copied from; empty for none."""


def report(
    summary: Summary,
    place: Location,
    *,
    failures: Mapping[str, str] | None = None,
    whole: bool = False,
    state: str = "",
    at_work: Sequence[str] = (),
    columns: int = 0,
) -> Iterator[Line]:
    """Return the page; ``failures`` is what the failed nodes left, ``whole`` cuts nothing.

    ``state`` is how a run stands that has not ended, and ``at_work`` what it is doing. It fits
    into so many ``columns``, where there are any.
    """
    yield from verdict(summary, place, failures, state=state, whole=whole)
    for attempt in at_work:
        yield Line(f"  {attempt} is at work", "warn")
    yield Line("")
    yield from _stages(summary, whole=whole, columns=columns)
    yield Line("")
    yield from _changed(summary.changed, whole=whole)
    if summary.ingested is not UNSET:
        yield Line("")
        yield from ingests(summary.ingested, whole=whole)
    yield Line("")
    if summary.usage is not UNSET:
        yield from totals(summary.active_seconds, summary.usage)
    yield Line(f"evidence: {place.path}")
    yield Line(f"head:     {summary.head}")
    live = state == "RUNNING"
    for index, command in enumerate(_following(summary, place, live=live)):
        yield Line(f"{'next:' if index == 0 else '':<9} {command}")


def verdict(
    summary: Summary,
    place: Location,
    failures: Mapping[str, str] | None = None,
    *,
    state: str = "",
    whole: bool = False,
) -> Iterator[Line]:
    """Return how it ended or stands, the part that failed, and what a reader must know of it."""
    said = summary.status if summary.status != "RUNNING" else state or summary.status
    yield Line(f"{said}  {summary.pipeline}  run {summary.run_id}", _TONES[summary.status])
    yield from _failing_part(summary, place, failures or {})
    yield from _to_know(summary, whole=whole)


def failing(summary: Summary) -> tuple[StageSummary, ...]:
    """Return the stages that a failed run failed by: one row for each node.

    An exit that says ``fail`` was led to by something: that is the last stage that failed and was
    not done better afterwards.
    """
    if summary.status != "FAIL":
        return ()
    failed = {row.node: row for row in summary.stages if row.outcome in {"fail", "retry"}}
    unhandled = tuple(
        row for node, row in failed.items() if node in summary.unhandled and row.type != "exit"
    )
    last = {row.node: row for row in summary.stages}
    left = tuple(row for row in summary.stages if row is last[row.node] is failed.get(row.node))
    work = tuple(row for row in left if row.type != "exit")
    return unhandled or (work or left or tuple(failed.values()))[-1:]


def _failing_part(summary: Summary, place: Location, failures: Mapping[str, str]) -> Iterator[Line]:
    if summary.reason:
        yield Line(f"  {summary.reason}", hang=4)
    for row in failing(summary):
        yield Line(f"  {row.node}: {row.failure_reason or row.outcome}", "bad", hang=4)
        for line in failures.get(row.node, "").rstrip().split("\n")[-SHOWN_FAILURE_LINES:]:
            if line:
                yield Line(f"    {line}")
        yield Line(f"    evidence: {place.path}/{row.folder}")


def _to_know(summary: Summary, *, whole: bool) -> Iterator[Line]:
    """Return what a reader must know before he relies on the rest."""
    for warning in summary.warnings or ():
        yield Line(f"  warning: {warning}", "warn", hang=4)
    for name, nodes in (summary.stand_ins or {}).items():
        shown = ", ".join(nodes if whole else nodes[:SHOWN_STAND_INS])
        more = "" if whole or len(nodes) <= SHOWN_STAND_INS else ", …"
        what = f"  no agent worked on {shown}{more}: {name} stood in for one"
        yield Line(what, "warn", hang=4)


def _stages(summary: Summary, *, whole: bool, columns: int) -> Iterator[Line]:
    stages = summary.stages
    shown = stages if whole else stages[-SHOWN_STAGES:]
    told = summary.usage is not UNSET and summary.usage.told
    headings, rows = _cells(shown, told=told, whole=True)
    if columns and needed(headings, rows) > columns:
        headings, rows = _cells(shown, told=told, whole=False)
    heading, *lines = fitted(headings, rows, columns)
    yield heading
    if len(shown) < len(stages):
        yield Line(f"… {count(len(stages) - len(shown), 'stage')} before these", "faint")
    yield from lines


def _cells(
    rows: Sequence[StageSummary], *, told: bool, whole: bool
) -> tuple[tuple[str, ...], list[TableRow]]:
    """Return headings and rows.

    Not ``whole`` they name the last attempt, which is the end of the evidence's path.
    """
    used = ("tokens", "cost") if told else ()
    tries, evidence = ("attempts", ("evidence",)) if whole else ("attempt", ())
    headings = ("stage", "type", "outcome", tries, "time", *used, "changed", *evidence)
    return headings, [
        TableRow(
            (
                row.node,
                row.type,
                row.outcome,
                str(row.attempts) if whole else row.folder.rpartition("/")[2],
                seconds(row.seconds),
                *((tokens_cell(row.usage), cost_cell(row.usage)) if told else ()),
                str(row.changed) if row.changed else "-",
                *((row.folder,) if whole else ()),
            ),
            tone(row.outcome),
            row.failure_reason,
        )
        for row in rows
    ]


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


def going_on(pipeline: str) -> str:
    """Return the command that goes on with a run: of a change the one that lands it as well."""
    return "custody change advance" if pipeline == CHANGE else "custody resume"


def _following(summary: Summary, place: Location, *, live: bool) -> Iterator[str]:
    """Return the commands worth trying after this."""
    name = shlex.quote(place.name)
    if summary.status == "RUNNING":
        yield f"custody log {name} --follow" if live else f"{going_on(summary.pipeline)} {name}"
        return
    for row in failing(summary)[:1]:
        yield f"custody show {name} {row.node}"
    if summary.changed:
        yield f"custody diff {name}"
    if summary.changed and summary.status == "PASS" and place.source:
        yield f"custody apply {name}"
    yield f"custody verify {name}"
