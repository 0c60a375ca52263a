"""What a confined start costs and what it leaves open, beside the sandboxes of others."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, NotMeasured, run
from benchmarks.sandboxes import titles
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

START = "benchmarks.scripts.confined_start"
ESCAPES = "benchmarks.scripts.escapes"
L3_BAR = 10.0
"""Milliseconds of a start at L3."""
L2_BAR = 1.0
"""Milliseconds of a start at L2, over a plain one."""


def confinement(ground: Ground, scale: Scale) -> list[Row]:
    """Measure starts of /bin/true and count the ways out that are open."""
    starts, start_failure = _figures(START, ground.fresh(), str(scale.sandbox_rounds))
    escapes, escape_failure = _figures(ESCAPES, ground.fresh())
    return [
        *start_rows(starts, start_failure),
        *escape_rows(escapes, escape_failure),
    ]


def _figures(script: str, *arguments: str) -> tuple[Mapping[str, float], str]:
    argv = [sys.executable, "-m", script, *arguments]
    try:
        return run(argv, cwd=os.path.dirname(HERE)), ""
    except NotMeasured as reason:
        return {}, str(reason)


def start_rows(figures: Mapping[str, float], failure: str) -> list[Row]:
    """Return the rows about starts; ``failure`` says why there are no figures."""

    def figure(way: str, title: str = "") -> Figure:
        lowest = figures.get(f"{way} lowest")
        note = "" if lowest is None else f"lowest {lowest:.1f}"
        return Figure(figures.get(way), "ms", title, note, failure or f"{title} is missing")

    plain, second = figures.get("plain"), figures.get("L2")
    over = None if plain is None or second is None else second - plain
    return [
        Row("start at L3, with layers", figure("L3"), Figure(L3_BAR, "ms", "bar"), 1.0),
        Row(
            "start at L2, over a plain one",
            Figure(over, "ms", failure=failure),
            Figure(L2_BAR, "ms", "bar"),
            1.0,
        ),
        Row("start at L3, with layers", figure("L3"), figure("plain", "custody, unconfined")),
        *(
            Row(f"start at {level}", figure(level), figure(way, title))
            for way, title in titles().items()
            for level in _beside(way)
        ),
    ]


def escape_rows(figures: Mapping[str, float], failure: str) -> list[Row]:
    """Return the rows about ways out."""

    def figure(way: str, title: str = "") -> Figure:
        return Figure(figures.get(way), "open", title, failure=failure or f"{title} is missing")

    tried = f"ways out, {figures.get('tried', 0):.0f} tried"
    return [
        Row(f"{tried}, {level}", figure(level), figure(way, title))
        for way, title in titles().items()
        for level in _beside(way)
    ]


def _beside(way: str) -> tuple[str, ...]:
    """Return the levels that work by the same means as another sandbox."""
    return ("L3",) if way == "bubblewrap" else ("L3", "L2")
