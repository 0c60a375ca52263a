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


def linear(nodes: int) -> str:
    """Return a pipeline of ``nodes`` agent nodes between its start and its exit."""
    names = [f"n{number}" for number in range(nodes)]
    stages = "".join(f'  {name} [prompt="Do the least a node can do."]\n' for name in names)
    edges = " -> ".join(["start", *names, "done"])
    return (
        'digraph linear {\n  graph [goal="Measure"]\n'
        "  start [shape=Mdiamond]\n  done [shape=Msquare]\n"
        f"{stages}  {edges}\n}}\n"
    )


def write_linear(nodes: int, folder: str) -> str:
    """Write the pipeline into ``folder`` and return its path."""
    path = os.path.join(folder, f"linear_{nodes}.dot")
    with open(path, "w", encoding="utf-8") as file:
        file.write(linear(nodes))
    return path


def main(nodes: int, folder: str) -> None:
    """Run the pipeline and print how long the run took."""
    from custody import api

    pipeline = write_linear(nodes, folder)
    begin = time.perf_counter()
    result = api.run(pipeline, runsdir=os.path.join(folder, "runs"), agent="stub")
    seconds = time.perf_counter() - begin
    assert result.summary.status == "PASS"
    assert len(result.summary.stages) >= nodes
    journal = os.path.getsize(os.path.join(result.path, "events.jsonl"))
    figures = {"nodes": nodes, "seconds": seconds, "journal_bytes": journal}
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
