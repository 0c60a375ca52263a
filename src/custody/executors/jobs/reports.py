"""What a skill has left below ``reports/``: every file with its hash, and the metrics.

Whoever looks ends the tool first, so that what is judged is what stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from custody.errors import MalformedDocument, PathRefused, StorageFailed
from custody.model import layout
from custody.model.evidence import Evidence
from custody.model.record import decode
from custody.model.skill.job import ReportFile
from custody.model.skill.metric import MetricValue
from custody.skills.locator import moment
from custody.store.root import Root

LISTED = 1_000
"""Files that an inventory names."""
DEPTH = 16
HASHED_LIMIT = 8 << 30
"""Bytes of all files together that are hashed; the journal vouches for these."""
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
    return tuple(_hashed(run, found[:LISTED])), max(0, len(found) - LISTED)


def vouched_for(files: Iterable[ReportFile]) -> tuple[Evidence, ...]:
    """Return what the journal says of those files that were hashed."""
    return tuple(
        Evidence(path=one.path, sha256=one.sha256, bytes=one.size) for one in files if one.sha256
    )


def _hashed(run: Root, files: Iterable[ReportFile]) -> Iterator[ReportFile]:
    left = HASHED_LIMIT
    for one in files:
        left -= one.size
        try:
            sha256, size = run.digest(one.path) if left >= 0 else ("", one.size)
        except (PathRefused, StorageFailed):
            yield one  # a link, a pipe, or a name that is spelled otherwise here
        else:
            yield replace(one, sha256=sha256, size=size)


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
