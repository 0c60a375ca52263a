"""What a confined start costs, beside the sandboxes of others."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks.contestants import HERE
from benchmarks.fresh import Ground, NotMeasured, tell
from benchmarks.sandbox_peers import PEERS, titles
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

START = "benchmarks.scripts.confined_start"
L3_BAR = 10.0
"""Milliseconds of a start at L3."""
L2_BAR = 1.0
"""Milliseconds of a start at L2, over a plain one."""
PEER_BAR = 1.0
"""A start at L3 takes no longer than bubblewrap's, whose means are the same."""

Figures = Mapping[str, Mapping[str, Any]]


def confinement(ground: Ground, scale: Scale) -> list[Row]:
    """Measure starts of /bin/true, with limits."""
    argv = [sys.executable, "-m", START, ground.fresh(), str(scale.sandbox_rounds)]
    try:
        return start_rows(tell(argv, cwd=os.path.dirname(HERE)), "")
    except NotMeasured as reason:
        return start_rows({}, str(reason))


def start_rows(figures: Figures, failure: str) -> list[Row]:
    """Return the rows about starts; ``failure`` says why there are no figures."""
    median, lowest, failed = (figures.get(name, {}) for name in ("median", "lowest", "failed"))

    def figure(way: str, title: str = "") -> Figure:
        note = f"lowest {lowest[way]:.1f}" if way in lowest else ""
        why = failure or failed.get(way, "no figure")
        return Figure(median.get(way), "ms", title, note, why)

    plain, second = median.get("plain"), median.get("L2")
    over = None if plain is None or second is None else second - plain
    return [
        Row("start at L3, with layers and limits", figure("L3"), Figure(L3_BAR, "ms", "bar"), 1.0),
        Row(
            "start at L2, over a plain one",
            Figure(over, "ms", failure=failure),
            Figure(L2_BAR, "ms", "bar"),
            1.0,
        ),
        Row("start at L3", figure("L3"), figure("plain", "custody, unconfined")),
        *(
            Row(
                f"start at {level}",
                figure(level),
                figure(way, title),
                PEER_BAR if way == "bubblewrap" else None,
            )
            for way, title in titles().items()
            for level in PEERS[way].levels
        ),
    ]
