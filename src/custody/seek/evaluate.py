"""Measures a search on the history that it indexes, and chooses how much each leg has to say.

What a change is for, in its author's words, asks for the change (`custody.seek.questions`). Each
question is searched once, with every leg; then other weights are tried on what the legs said. The
weights that are best on *dev* are kept, and a leg that does not help there is switched off. What is
reported comes from *test*, the newest quarter, of which nothing was chosen.

A search always finds something. How sure a wrong hit looks is measured on questions that have no
answer: the same ones, with their answer taken out of what was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from custody.model.record import Record
from custody.seek.fuse import Leg, fuse
from custody.seek.index import Index
from custody.seek.lexical import weight
from custody.seek.postings import look_up
from custody.seek.quality import Quality, Span, compared, quality, rank_of
from custody.seek.questions import BIAS, Question
from custody.seek.records import Found, Query, Weights
from custody.seek.tokens import words

PIECES = (0.0, 0.2, 0.4, 0.7, 1.0)
VECTORS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2)
"""Weights that are tried; that of the words of a source is 1."""
ENOUGH = 30
"""Questions with which weights are chosen."""
SURE = 0.9
"""The share of right first hits that are as sure as the threshold."""
_CANDIDATES = 200
"""Sources of which each leg says something."""
_EVERY_LEG = Weights(source=1.0, chunk=1.0, vectors=1.0)


class Confidence(Record, frozen=True):
    """How sure a search looks that found nothing right."""

    questions: int
    threshold: float
    """As sure are nine of ten right first hits of *dev*: the share of a query's words, by how much
    each tells, that the hit's source makes up for."""
    false: float
    """The share of questions without an answer whose first hit is as sure."""


class Evaluation(Record, frozen=True):
    """What was measured."""

    weights: Weights
    """Those that are best on *dev*; those of before where there are too few questions."""
    dev: Quality
    """With these weights."""
    words: Quality
    """On *test*, without vectors."""
    before: Quality
    """On *test*, with the weights of before."""
    test: Quality
    """On *test*, with the weights."""
    gain: Span
    """By how much the MRR of *test* is higher than without vectors."""
    switched_off: tuple[str, ...]
    """Legs that do not help."""
    confidence: Confidence
    notes: tuple[str, ...]


class Trial(NamedTuple):
    """A question, and what each leg said of the sources."""

    question: Question
    legs: Mapping[str, Mapping[str, float]]
    """By leg and source id."""
    sure: Mapping[str, float]
    """How sure each source would be as the first hit."""

    def found(self, weights: Weights) -> list[str]:
        """Return the sources in the order that some weights make."""
        shares = {"source": weights.source, "chunk": weights.chunk, "vectors": weights.vectors}
        legs = (Leg(self.legs.get(name, {}), share) for name, share in shares.items())
        return [name for name, score in fuse(legs) if score > 0]

    def rank(self, weights: Weights) -> int:
        """Return at which place the answer comes; 0 when it does not."""
        return rank_of(self.question.answer, self.found(weights))


def evaluate(index: Index, dev: Sequence[Question], test: Sequence[Question]) -> Evaluation:
    """Measure, and choose; nothing is kept."""
    before = index.weights()
    tried = [tried_by(index, one) for one in dev]
    chosen = choose(tried, before)
    newest = [tried_by(index, one) for one in test]
    words_only = Weights(source=chosen.source, chunk=chosen.chunk, vectors=0.0)
    ranks = {
        name: [one.rank(weights) for one in newest]
        for name, weights in (("words", words_only), ("before", before), ("chosen", chosen))
    }
    return Evaluation(
        weights=chosen,
        dev=_quality(tried, chosen),
        words=quality(ranks["words"]),
        before=quality(ranks["before"]),
        test=quality(ranks["chosen"]),
        gain=compared(ranks["chosen"], ranks["words"]),
        switched_off=tuple(_switched_off(tried, chosen)),
        confidence=confidence(tried, newest, chosen),
        notes=tuple(_notes(tried, index.model.missing)),
    )


def choose(tried: Sequence[Trial], before: Weights) -> Weights:
    """Return the weights that are best on some questions: of those alike the smallest.

    Those of before stay where there are too few questions to tell.
    """
    if len(tried) < ENOUGH:
        return before
    grid = [
        Weights(source=1.0, chunk=chunk, vectors=vectors)
        for vectors, chunk in product(VECTORS if _has(tried, "vectors") else (0.0,), PIECES)
    ]
    figures = {weights: _quality(tried, weights).mrr for weights in grid}
    best = max(grid, key=lambda one: (figures[one], -one.vectors, -one.chunk))
    without = max(figures[one] for one in grid if not one.vectors)
    if not _has(tried, "vectors"):
        why = f"chosen on {len(tried)} changes, without vectors: MRR {without:.3f}"
        return Weights(source=1.0, chunk=best.chunk, vectors=before.vectors, why=why)
    with_vectors = max(figures[one] for one in grid if one.vectors)
    said = f"MRR {with_vectors:.3f} with vectors, {without:.3f} without"
    why = f"chosen on {len(tried)} changes of the history: {said}"
    return Weights(source=1.0, chunk=best.chunk, vectors=best.vectors, why=why)


def tried_by(index: Index, question: Question) -> Trial:
    """Search a question with every leg."""
    query = Query(text=question.text, count=_CANDIDATES, kinds=("patch",), weights=_EVERY_LEG)
    hits = index.search(query).hits
    legs: dict[str, dict[str, float]] = {}
    for hit in hits:
        for name, score in hit.legs.items():
            said = legs.setdefault(name, {})
            said[hit.source_id] = max(score, said.get(hit.source_id, score))
    return Trial(question, legs, _sure(index, question.text, hits))


def confidence(dev: Sequence[Trial], test: Sequence[Trial], weights: Weights) -> Confidence:
    """Return how often a question without an answer gets a hit that looks right."""
    right = sorted(one.sure[one.question.answer] for one in dev if one.rank(weights) == 1)
    threshold = right[int(len(right) * (1 - SURE))] if right else 1.0
    wrong = [next(_others(one, weights), 0.0) for one in test]
    false = sum(1 for sure in wrong if sure >= threshold)
    share = false / len(wrong) if wrong else 0.0
    return Confidence(questions=len(wrong), threshold=round(threshold, 4), false=round(share, 4))


def _others(trial: Trial, weights: Weights) -> Iterator[float]:
    """Yield how sure the hits are that are not the answer, in their order."""
    for name in trial.found(weights):
        if name != trial.question.answer:
            yield trial.sure.get(name, 0.0)


def _sure(index: Index, text: str, hits: Sequence[Found]) -> dict[str, float]:
    """Return which share of a query's words, by how much they tell, each source makes up for."""
    asked: dict[str, int] = {}
    for word in words(text):
        asked[word] = asked.get(word, 0) + 1
    with index.database.reading() as transaction:
        [(sources,)] = transaction.run("SELECT count(*) FROM seek.sources")
        terms = look_up(transaction, asked, int(sources))
    unknown = len(asked) - len(terms)
    whole = sum(term.weight for term in terms) + unknown * weight(int(sources), 0)
    return {hit.source_id: hit.legs.get("source", 0.0) / whole for hit in hits} if whole else {}


def _quality(tried: Sequence[Trial], weights: Weights) -> Quality:
    return quality([one.rank(weights) for one in tried])


def _has(tried: Sequence[Trial], leg: str) -> bool:
    return any(one.legs.get(leg) for one in tried)


def _switched_off(tried: Sequence[Trial], weights: Weights) -> Iterator[str]:
    if len(tried) >= ENOUGH:
        for leg, share in (("chunk", weights.chunk), ("vectors", weights.vectors)):
            if share <= 0 and _has(tried, leg):
                yield leg


def _notes(tried: Sequence[Trial], missing: str) -> Iterator[str]:
    if len(tried) < ENOUGH:
        yield f"the weights stay: {len(tried)} questions are too few to choose by, {ENOUGH} needed"
    if missing:
        yield missing
    yield BIAS
