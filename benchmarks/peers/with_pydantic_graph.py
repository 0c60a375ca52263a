# mypy: disable-error-code="misc, no-any-return, untyped-decorator"
"""A linear pydantic-graph run with its file persistence.

`FileStatePersistence` reads and rewrites the whole history as one JSON file three times a node
and never syncs it, so a run survives the end of its process but not of the machine. It was
removed in version 2, hence the pin to version 1. The chain is one node class that is entered
again and again, as in the documentation's example: with a thousand classes the peer takes six
times as long.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

warnings.simplefilter("ignore")  # version 1 says on import that version 2 drops this API

from pydantic_graph import BaseNode, End, GraphRunContext  # noqa: E402
from pydantic_graph.graph import Graph  # noqa: E402
from pydantic_graph.persistence.file import FileStatePersistence  # noqa: E402


@dataclass
class Counter:
    """How many nodes have run, of how many."""

    nodes: int
    count: int = 0


@dataclass
class CountUp(BaseNode[Counter, None, int]):
    """Does the least a node can do."""

    async def run(self, ctx: GraphRunContext[Counter]) -> CountUp | End[int]:
        """Count, and say which node is next."""
        ctx.state.count += 1
        return CountUp() if ctx.state.count < ctx.state.nodes else End(ctx.state.count)


async def main(nodes: int, folder: str) -> None:
    """Run the chain and print how long the run took."""
    graph = Graph(nodes=[CountUp], state_type=Counter, run_end_type=int)
    persistence = FileStatePersistence(Path(folder) / f"{os.getpid()}.json")
    begin = time.perf_counter()
    result = await graph.run(CountUp(), state=Counter(nodes), persistence=persistence)
    seconds = time.perf_counter() - begin
    assert result.output == nodes
    sys.stdout.write(json.dumps({"nodes": nodes, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
