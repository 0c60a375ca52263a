# mypy: disable-error-code="misc, no-any-return, untyped-decorator"
"""A DBOS workflow of a chain of steps, with its system database in SQLite.

DBOS records each step's output before the next step begins, in one transaction with SQLite's
default rollback journal and ``synchronous=FULL``. There is no graph: the chain is a loop over
steps, the shape DBOS recommends.
"""

from __future__ import annotations

import json
import os
import sys
import time

from dbos import DBOS, DBOSConfig


@DBOS.step()
def count_up(count: int) -> int:
    """Do the least a step can do."""
    return count + 1


@DBOS.workflow()
def linear(nodes: int) -> int:
    """Run a chain of ``nodes`` steps."""
    count = 0
    for _ in range(nodes):
        count = count_up(count)
    return count


def main(nodes: int, folder: str) -> None:
    """Run the chain and print how long the run took."""
    config: DBOSConfig = {
        "name": "bench",
        "system_database_url": f"sqlite:///{os.path.join(folder, 'dbos.sqlite')}",
        "log_level": "ERROR",
        "enable_otlp": False,
    }
    DBOS(config=config)
    DBOS.launch()
    begin = time.perf_counter()
    count = linear(nodes)
    seconds = time.perf_counter() - begin
    DBOS.destroy()
    assert count == nodes
    sys.stdout.write(json.dumps({"nodes": nodes, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
