"""Start /bin/true in every sandbox, in turn and in random order.

    python -m benchmarks.scripts.confined_start FOLDER ROUNDS

Prints the median and the lowest time of each in milliseconds, from asking to the answer. Between
two starts lies a pause, as a run's own work does: a keeper prepares the next sandbox meanwhile.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time

from benchmarks.sandboxes import site_below, ways

PAUSE = 0.03
"""Seconds."""
UNCOUNTED = 3
"""Rounds at first: whoever keeps something ready has it by then."""


def main(folder: str, rounds: int) -> None:
    """Measure every way."""
    with site_below(folder) as site:
        known = ways(site)
        times: dict[str, list[float]] = {name: [] for name in known}
        for _ in range(rounds + UNCOUNTED):
            for name in random.sample(list(known), len(known)):
                run = known[name]()
                time.sleep(PAUSE)
                started = time.perf_counter()
                run(["/bin/true"], "")
                times[name].append((time.perf_counter() - started) * 1e3)
    counted = {name: taken[UNCOUNTED:] for name, taken in times.items()}
    figures = {name: statistics.median(taken) for name, taken in counted.items()}
    figures |= {f"{name} lowest": min(taken) for name, taken in counted.items()}
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
