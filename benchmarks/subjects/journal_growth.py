"""What one event costs in a short journal and in a long one: it must be the same."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, run
from benchmarks.rounds import Result, interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

SCRIPT = "benchmarks.scripts.custody_journal"
ROUNDS = 3
BASE = 1_000
"""Events of the journal that the others are compared with; shorter ones are mostly set-up."""
FIGURES = {
    "append_us": ("journal, time to append an event", "µs", 1.25),
    "append_cpu_us": ("journal, processor time to append an event", "µs", 1.25),
    "read_us": ("journal, time to read and verify an event", "µs", 1.25),
    "read_cpu_us": ("journal, processor time to read and verify an event", "µs", 1.25),
    "peak_kb": ("journal, peak memory of writing and reading", "KB", 1.1),
}


def journal_growth(ground: Ground, scale: Scale) -> list[Row]:
    """Compare each length of journal with the base."""
    turns = {f"{count} events": partial(_turn, count, ground) for count in scale.journal_events}
    results = interleave(turns, ROUNDS)
    return [
        _row(figure, count, results[f"{count} events"], results[f"{BASE} events"])
        for figure in FIGURES
        for count in scale.journal_events
        if count != BASE
    ]


def _turn(events: int, ground: Ground) -> Mapping[str, float]:
    argv = [sys.executable, "-m", SCRIPT, str(events), ground.fresh()]
    return run(argv, cwd=os.path.dirname(HERE))


def _row(figure: str, count: int, result: Result, base: Result) -> Row:
    what, unit, bar = FIGURES[figure]
    return Row(
        f"{what}, {count:,} events",
        Figure(result.median(figure), unit, failure=result.failure),
        Figure(base.median(figure), unit, f"custody, {BASE:,} events", failure=base.failure),
        bar if count > BASE else None,
    )
