"""Time per node of a linear pipeline, everything durable before the next node begins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchmarks.contestants import (
    BURR,
    CUSTODY,
    FLOOR,
    FLOOR_WITH_FILES,
    LANGGRAPH,
    PEERS,
    Contestant,
)
from benchmarks.fresh import Ground, run
from benchmarks.rounds import Result, interleave
from benchmarks.subjects import Scale
from benchmarks.syncs import syncs_per_node
from benchmarks.table import Figure, Row

BARS = {FLOOR: 1.5, LANGGRAPH: 1 / 3, BURR: 1.0}


def node_time(ground: Ground, scale: Scale) -> list[Row]:
    """Measure the run alone: no import, and no building of a graph where that is apart."""
    everyone = (CUSTODY, FLOOR, FLOOR_WITH_FILES, *PEERS)
    results = interleave(
        {one.name: partial(_turn, one, scale.nodes, ground) for one in everyone},
        scale.rounds,
        most={one.name: one.most_turns for one in everyone},
    )
    syncs = {one: syncs_per_node(one, ground) for one in everyone}

    def figure(one: Contestant) -> Figure:
        name = "" if one is CUSTODY else one.name
        return _figure(results[one.name], name, syncs[one])

    what = f"time per node, {scale.nodes:,} nodes in a line"
    return [Row(what, figure(CUSTODY), figure(one), BARS.get(one)) for one in everyone[1:]]


def _turn(one: Contestant, nodes: int, ground: Ground) -> Mapping[str, float]:
    folder = ground.fresh()
    figures = run(one.argv(nodes, folder), cwd=folder)
    return {"milliseconds": figures["seconds"] / nodes * 1e3}


def _figure(result: Result, name: str, syncs: str) -> Figure:
    return Figure(result.median("milliseconds"), "ms", name, syncs, result.failure)
