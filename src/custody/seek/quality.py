"""Figures of ranks: how early the one right answer comes, and how sure a difference is."""

from __future__ import annotations

import random
from collections.abc import Sequence

from custody.model.record import Record

AMONG = 10
"""How many answers count."""
DRAWS = 1000
SURE = 0.95


class Quality(Record, frozen=True):
    """How well some queries were answered."""

    queries: int
    mrr: float
    """One divided by the rank of the right answer, 0 behind the tenth, on average."""
    recall: float
    """The share of queries whose right answer is among the first ten."""


class Span(Record, frozen=True):
    """A difference, and between what it lies in 95 of 100 samples."""

    difference: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def quality(ranks: Sequence[int]) -> Quality:
    """Return the figures of ranks, counted from one; 0 stands for an answer that did not come."""
    found = sum(1 for rank in ranks if 0 < rank <= AMONG)
    return Quality(
        queries=len(ranks),
        mrr=round(_mean(gains(ranks)), 4),
        recall=round(found / (len(ranks) or 1), 4),
    )


def gains(ranks: Sequence[int]) -> list[float]:
    """Return what each rank is worth."""
    return [1 / rank if 0 < rank <= AMONG else 0.0 for rank in ranks]


def rank_of(right: str, found: Sequence[str]) -> int:
    """Return at which place the right one came, counting each once; 0 when it did not."""
    seen = [*dict.fromkeys(found)]
    return seen.index(right) + 1 if right in seen else 0


def compared(own: Sequence[int], other: Sequence[int], *, seed: int = 0) -> Span:
    """Return how much better one set of ranks is than another of the same queries.

    By a paired bootstrap; the same ranks give the same span.
    """
    pairs = [a - b for a, b in zip(gains(own), gains(other), strict=True)]
    chance = random.Random(seed)  # noqa: S311 - nobody must guess it
    means = sorted(_mean(chance.choices(pairs, k=len(pairs))) for _ in range(DRAWS if pairs else 1))
    tail = int(len(means) * (1 - SURE) / 2)
    low, high = means[tail], means[-tail - 1]
    return Span(difference=round(_mean(pairs), 4), low=round(low, 4), high=round(high, 4))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
