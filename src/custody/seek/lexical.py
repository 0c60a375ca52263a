"""BM25 at two levels: how well a source fits the words of a query, and how well each of its pieces.

The rarest words of a query choose a hundred sources; then every word counts, for them and for
their pieces. A word that half of the sources have costs much to look up everywhere, and hardly
tells one from another: among a hundred it costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

BUDGET = 6000
"""Postings that are read to choose sources; the rarest word is always looked up."""
CANDIDATES = 100
"""Sources that are looked at closely."""
MOST_WORDS = 32
"""Words of a query that count: its rarest."""


class Saturation(NamedTuple):
    """How soon it counts little that a text has a word once more, and how much its length does."""

    k1: float
    b: float

    def share(self, times: int, words: int, usual: float) -> float:
        """Return how much of a word's weight a text gets that has it so often: from 0 to 1."""
        return times / (times + self.k1 * (1 - self.b + self.b * words / usual))


OF_SOURCES = Saturation(k1=3.0, b=0.9)
"""Changes differ much in length, and repeat what they are about: chosen on dev of two histories
(decision 0065)."""
OF_PIECES = Saturation(k1=1.2, b=0.75)
"""Pieces are about as long as each other: what search engines use for such texts."""


class Term(NamedTuple):
    """A word of a query that the index has."""

    number: int
    sources: int
    """How many sources have it."""
    weight: float
    """How much it tells, times how often the query has it."""


class Posting(NamedTuple):
    """That a source has a word."""

    term_no: int
    source_no: int
    times: int
    places: Sequence[int]
    """By turns a piece, counted from the one before, and how often it has the word."""


class Lengths(NamedTuple):
    """How many words a source has, and each of its pieces."""

    words: int
    pieces: Sequence[int]


class Averages(NamedTuple):
    """What is usual in an index."""

    sources: int
    words: float
    """Of a source."""
    piece_words: float


def weight(sources: int, having: int, times: int = 1) -> float:
    """Return how much a word tells: more, the fewer sources have it."""
    return times * math.log(1 + (sources - having + 0.5) / (having + 0.5))


def rarest(terms: Iterable[Term], budget: int = BUDGET) -> list[Term]:
    """Return the rarest words, as many as may be looked up everywhere."""
    found: list[Term] = []
    for term in sorted(terms, key=lambda term: term.sources):
        if found and term.sources > budget:
            break
        budget -= term.sources
        found.append(term)
    return found


class Scores(NamedTuple):
    """What the words say of some sources, by their numbers."""

    sources: dict[int, float]
    pieces: dict[int, dict[int, float]]


def score(
    terms: Iterable[Term],
    postings: Iterable[Posting],
    lengths: Mapping[int, Lengths],
    usual: Averages,
) -> Scores:
    """Return how well sources and their pieces fit, whatever order the postings come in."""
    weights = {term.number: term.weight for term in terms}
    order = {number: rank for rank, number in enumerate(weights)}
    found = Scores({}, {})
    for posting in sorted(postings, key=lambda one: order[one.term_no]):
        tells, number = weights[posting.term_no], posting.source_no
        whole, pieces = lengths[number]
        gain = tells * OF_SOURCES.share(posting.times, whole, usual.words)
        found.sources[number] = found.sources.get(number, 0.0) + gain
        within = found.pieces.setdefault(number, {})
        at, places = 0, iter(posting.places)
        for step, times in zip(places, places, strict=True):
            at += step
            gain = tells * OF_PIECES.share(times, pieces[at], usual.piece_words)
            within[at] = within.get(at, 0.0) + gain
    return found
