"""A linear custody pipeline whose nodes ask the stub agent.

The figure is that of `custody.api.run` as a whole: parsing, checking, the workspace and the
closing documents are in it. A stage is one group commit of the journal, synced before the next
effect.
"""

from __future__ import annotations

import json
import os
import sys
import time

GOAL = "Do the least a node can do."


def linear(nodes: int, goal: str = GOAL) -> str:
    """Return a pipeline of ``nodes`` agent nodes, each told the goal, between start and exit."""
    names = [f"n{number}" for number in range(nodes)]
    stages = "".join(f'  {name} [prompt="$goal"]\n' for name in names)
    edges = " -> ".join(["start", *names, "done"])
    return (
        f'digraph linear {{\n  graph [goal="{goal}"]\n'
        "  start [shape=Mdiamond]\n  done [shape=Msquare]\n"
        f"{stages}  {edges}\n}}\n"
    )


def write_linear(nodes: int, folder: str, goal: str = GOAL) -> str:
    """Write the pipeline into ``folder`` and return its path."""
    path = os.path.join(folder, f"linear_{nodes}.dot")
    with open(path, "w", encoding="utf-8") as file:
        file.write(linear(nodes, goal))
    return path


def main(nodes: int, folder: str, goal: str = GOAL) -> None:
    """Run the pipeline and print how long the run took, the journal's size and peak memory."""
    from custody import api

    pipeline = write_linear(nodes, folder, goal)
    begin = time.perf_counter()
    result = api.run(pipeline, runsdir=os.path.join(folder, "runs"), agent="stub")
    seconds = time.perf_counter() - begin
    assert result.summary.status == "PASS"
    assert len(result.summary.stages) >= nodes
    figures = {
        "nodes": nodes,
        "seconds": seconds,
        "journal_bytes": os.path.getsize(os.path.join(result.path, "events.jsonl")),
        "peak_kb": peak_kb(),
    }
    sys.stdout.write(json.dumps(figures) + "\n")


def peak_kb() -> int:
    """Return the most memory that this process ever held; Linux tells it in kilobytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
