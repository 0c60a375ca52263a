"""What a skill has left below ``reports/``: every file, and its metrics."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from custody.errors import MalformedDocument, PathRefused
from custody.model import layout
from custody.model.record import decode
from custody.model.skill.job import ReportFile
from custody.model.skill.metric import MetricValue
from custody.skills.locator import moment
from custody.store.root import Root

LISTED = 1_000
"""Files that an inventory names."""
DEPTH = 16
METRICS_LIMIT = 256 << 10
METRICS_COUNT = 500


class ReadMetrics(NamedTuple):
    """The metrics of a job, and why there are none although there should be."""

    metrics: dict[str, MetricValue]
    problem: str = ""


def inventory(run: Root) -> tuple[tuple[ReportFile, ...], int]:
    """Return the files below ``reports/`` by their paths, and how many more there are."""
    if not run.exists(layout.REPORTS):
        return (), 0
    found = sorted(_below(run, layout.REPORTS, DEPTH), key=lambda one: one.path)
    return tuple(found[:LISTED]), max(0, len(found) - LISTED)


def metrics(run: Root) -> ReadMetrics:
    """Return what ``reports/metrics.json`` says: one flat object of numbers and texts."""
    if not run.exists(layout.METRICS):
        return ReadMetrics({})
    try:
        data = run.read(layout.METRICS, limit=METRICS_LIMIT)
        found = decode(data, dict[str, int | float | str], where=layout.METRICS)
    except (MalformedDocument, PathRefused) as error:
        return ReadMetrics({}, f"{layout.METRICS}: {error.what}")
    if len(found) > METRICS_COUNT:
        return ReadMetrics({}, f"{layout.METRICS}: more than {METRICS_COUNT} metrics")
    return ReadMetrics(found)


def _below(run: Root, folder: str, left: int) -> Iterator[ReportFile]:
    folders = []
    with run.scan(folder) as entries:
        for entry in entries:
            state = entry.stat(follow_symlinks=False)
            path = f"{folder}/{_shown(entry)}"
            if stat.S_ISDIR(state.st_mode):
                folders.append(f"{folder}/{entry.name}")
            else:
                yield ReportFile(path=path, size=state.st_size, mtime=moment(state.st_mtime_ns))
    for inner in folders if left > 1 else ():
        yield from _below(run, inner, left - 1)


def _shown(entry: os.DirEntry[str]) -> str:
    """Return a name as a document can hold it."""
    return entry.name.encode(errors="surrogateescape").decode(errors="backslashreplace")
