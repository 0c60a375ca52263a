"""A run of many nodes: its time grows with their number, its memory not with the journal."""

from __future__ import annotations

from functools import partial

from benchmarks.contestants import CUSTODY
from benchmarks.fresh import Ground, run
from benchmarks.rounds import interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

LONG_GOAL = "x" * 2000
"""Every node is told the goal, so a long one swells the journal and nothing else."""
TIME_BAR = 1.1
MEMORY_BAR = 1.05


def long_run(ground: Ground, scale: Scale) -> list[Row]:
    """Compare a long run with a shorter one, and with itself when its journal holds more."""

    def turn(nodes: int, *goal: str) -> dict[str, float]:
        folder = ground.fresh()
        figures = run([*CUSTODY.argv(nodes, folder), *goal], cwd=folder)
        return {
            "node_ms": figures["seconds"] / nodes * 1e3,
            "peak_mb": figures["peak_kb"] / 1024,
            "journal_mb": figures["journal_bytes"] / 1024**2,
        }

    turns = {
        "short": partial(turn, scale.nodes),
        "long": partial(turn, scale.long_nodes),
        "swollen": partial(turn, scale.long_nodes, LONG_GOAL),
    }
    results = interleave(turns, scale.long_rounds)

    def figure(name: str, what: str, unit: str, peer: str = "") -> Figure:
        result = results[name]
        size = result.median("journal_mb")
        note = f"journal {size:.0f} MB" if size and unit == "MB" else ""
        return Figure(result.median(what), unit, peer, note, result.failure)

    count, fewer = f"{scale.long_nodes:,} nodes", f"{scale.nodes:,} nodes"
    return [
        Row(
            f"time per node, {count} in a line",
            figure("long", "node_ms", "ms"),
            figure("short", "node_ms", "ms", f"custody, {fewer}"),
            TIME_BAR,
        ),
        Row(
            f"peak memory, {count} in a line",
            figure("swollen", "peak_mb", "MB"),
            figure("long", "peak_mb", "MB", "custody, shorter journal"),
            MEMORY_BAR,
        ),
    ]
