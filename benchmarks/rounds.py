"""Contestants take turns, and the medians of their turns are compared."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.fresh import NotMeasured

Turn = Callable[[], Mapping[str, float]]


@dataclass
class Result:
    """What came of one contestant's turns."""

    turns: list[Mapping[str, float]] = field(default_factory=list)
    failure: str = ""
    """Why there is no figure; the contestant takes no further turn."""

    def median(self, figure: str) -> float | None:
        """Return the median of a figure over the turns, None when there is none."""
        values = [turn[figure] for turn in self.turns if figure in turn]
        return statistics.median(values) if values and not self.failure else None


def interleave(
    contestants: Mapping[str, Turn],
    rounds: int,
    *,
    most: Mapping[str, int] | None = None,
    patience: float = 75.0,
) -> dict[str, Result]:
    """Let every contestant have ``rounds`` turns, those in ``most`` no more than it says.

    Each round begins with another contestant, so that none always follows the same one. No round
    but the first begins after ``patience`` seconds: a busy machine has fewer rounds, not longer
    ones.
    """
    results = {name: Result() for name in contestants}
    names = list(contestants)
    limit = time.monotonic() + patience
    for number in range(rounds):
        if number and time.monotonic() > limit:
            break
        begin = number % len(names)
        for name in names[begin:] + names[:begin]:
            result = results[name]
            if result.failure or len(result.turns) >= (most or {}).get(name, rounds):
                continue
            sys.stderr.write(f"  round {number + 1} of {rounds}: {name}\n")
            try:
                result.turns.append(contestants[name]())
            except NotMeasured as reason:
                result.failure = str(reason)
    return results
