# mypy: disable-error-code="misc, no-any-return, untyped-decorator"
"""A LangGraph pipeline that checkpoints to SQLite before each next step.

``durability="sync"`` is the mode whose documentation promises that a step is persisted before
the next one starts. `SqliteSaver` switches the database to WAL and leaves ``synchronous`` at
SQLite's default FULL; a step is two transactions, the writes of the task and the checkpoint, so
the log is synced twice a node.

A ``chain`` is a graph of that many nodes; its checkpoints grow with the number of nodes. A
``loop`` is one node that is entered that many times, the cheapest shape this peer has.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph


class Counter(TypedDict):
    """How many nodes have run."""

    count: int


def count_up(state: Counter) -> Counter:
    """Do the least a node can do."""
    return {"count": state["count"] + 1}


def chain(nodes: int) -> StateGraph[Counter]:
    """Return a graph of ``nodes`` nodes, one after the other."""
    graph = StateGraph(Counter)
    names = [f"n{number}" for number in range(nodes)]
    for name in names:
        graph.add_node(name, count_up)
    for source, target in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(source, target)
    return graph


def loop(nodes: int) -> StateGraph[Counter]:
    """Return a graph of one node that follows itself until it has run ``nodes`` times."""
    graph = StateGraph(Counter)
    graph.add_node("n", count_up)
    graph.add_edge(START, "n")
    graph.add_conditional_edges("n", lambda state: "n" if state["count"] < nodes else END)
    return graph


def main(nodes: int, folder: str, shape: str) -> None:
    """Run the graph and print how long the run took."""
    with SqliteSaver.from_conn_string(os.path.join(folder, "langgraph.sqlite")) as saver:
        graph = {"chain": chain, "loop": loop}[shape](nodes).compile(checkpointer=saver)
        thread = {"thread_id": str(os.getpid())}
        config = {"configurable": thread, "recursion_limit": nodes + 1}
        begin = time.perf_counter()
        state = graph.invoke({"count": 0}, config, durability="sync")
        seconds = time.perf_counter() - begin
    assert state["count"] == nodes
    sys.stdout.write(json.dumps({"nodes": nodes, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
