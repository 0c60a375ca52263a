"""Start /bin/true in every sandbox, in turn and in random order.

    python -m benchmarks.scripts.confined_start FOLDER ROUNDS

Prints the median and the lowest time of each in milliseconds, from asking to the answer, and why a
sandbox was not tried. Everybody has limits. Between two starts lies a pause, as a run's own work
does: a keeper prepares the next sandbox meanwhile.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time

from benchmarks.sandbox_peers import ways
from benchmarks.sandboxes import Ask, site_below

PAUSE = 0.03
"""Seconds."""
UNCOUNTED = 3
"""Rounds at first: whoever keeps something ready has it by then."""
LONG_ENOUGH = 8.0
"""Seconds after which one that is slow has no further turn."""


def main(folder: str, rounds: int) -> None:
    """Measure every way."""
    with site_below(folder) as site:
        known, failed = ways(Ask(site))
        times: dict[str, list[float]] = {name: [] for name in known}
        for _ in range(rounds + UNCOUNTED):
            for name in random.sample(list(known), len(known)):
                if sum(times[name]) > LONG_ENOUGH:
                    continue
                run = known[name]()
                time.sleep(PAUSE)
                started = time.perf_counter()
                run(["/bin/true"], "")
                times[name].append(time.perf_counter() - started)
    counted = {name: [1e3 * taken for taken in each[UNCOUNTED:]] for name, each in times.items()}
    figures = {
        "median": {name: statistics.median(each) for name, each in counted.items()},
        "lowest": {name: min(each) for name, each in counted.items()},
        "failed": failed,
    }
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
