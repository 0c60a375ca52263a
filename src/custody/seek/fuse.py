"""What several legs of a search say of the same things becomes one order.

A leg's scores are divided by its best one, so that the best is 1 whatever the leg counts in, and
added up by weight. A thing that a leg does not name gets nothing from it. Fusion by ranks alone was
refused: it gives a weak leg as much to say as a good one (decision 0064).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Leg(NamedTuple):
    """What one leg says."""

    scores: Mapping[str, float]
    weight: float


def fuse(legs: Iterable[Leg]) -> list[tuple[str, float]]:
    """Return what the legs name with its score, the best first; what is alike goes by name."""
    total: dict[str, float] = {}
    for leg in legs:
        if leg.weight <= 0:
            continue
        best = max(leg.scores.values(), default=0.0)
        for name, score in leg.scores.items():
            share = leg.weight * max(score, 0.0) / best if best > 0 else 0.0
            total[name] = total.get(name, 0.0) + share
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
