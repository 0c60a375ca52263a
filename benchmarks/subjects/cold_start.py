"""From nothing to the end of a three-node run: the whole process, as a user waits for it."""

from __future__ import annotations

from functools import partial

from benchmarks.contestants import FLOOR, LANGGRAPH, PEERS
from benchmarks.custody_command import three_nodes
from benchmarks.fresh import Ground, run
from benchmarks.rounds import interleave
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row

NODES = 3
BARS = {FLOOR: 4.0, LANGGRAPH: 1 / 3}
_SHAPES = tuple(peer for peer in PEERS if peer.extra != ("loop",))


def cold_start(ground: Ground, scale: Scale) -> list[Row]:
    """Measure starts in a folder that each contestant has used before.

    The first turn makes databases and byte code and is not counted.
    """
    commands = {"": three_nodes(ground.fresh())}
    for one in (FLOOR, *_SHAPES):
        commands[one.name] = one.argv(NODES, ground.fresh())
    turns = {name: partial(run, argv, cwd=ground.path) for name, argv in commands.items()}
    interleave(turns, 1)
    results = interleave(turns, scale.cold_rounds)

    def figure(name: str) -> Figure:
        wall = results[name].median("wall")
        value = None if wall is None else wall * 1e3
        return Figure(value, "ms", name, failure=results[name].failure)

    what = f"cold start, run of {NODES} nodes"
    return [Row(what, figure(""), figure(one.name), BARS.get(one)) for one in (FLOOR, *_SHAPES)]
