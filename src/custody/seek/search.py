"""A search: the legs choose sources, look closely at a hundred of them, and are fused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from custody.logbook import Transaction
from custody.seek import postings, settings
from custody.seek.embedders import Embedder, Vector
from custody.seek.fuse import Leg, fuse
from custody.seek.lexical import (
    CANDIDATES,
    MOST_WORDS,
    Averages,
    Lengths,
    Scores,
    Term,
    rarest,
    score,
)
from custody.seek.packing import unpack
from custody.seek.records import Found, Query, SearchAnswer, Weights
from custody.seek.tokens import words
from custody.seek.vectors import Vectors

_SOURCE = "source_no, artifact_uri, sha256, source_id, source_type, kind, git_commit, "

ALIKE = 0.02
"""Cosine below which a source that shares no word with a query is not like it at all."""

EMPTY = "the index is empty: `custody seek index` fills it"


class _Facts(NamedTuple):
    """What holds for every search until the index changes."""

    changes: int
    usual: Averages
    roots: tuple[str, ...]
    weights: Weights
    vectors: bool
    """Whether there are any."""


class _Source(NamedTuple):
    number: int
    artifact_uri: str
    sha256: str
    source_id: str
    source_type: str
    kind: str
    git_commit: str
    chunking_version: str
    lengths: Lengths


class _Like(NamedTuple):
    """What the vectors say of some sources, by number."""

    sources: dict[int, float]
    pieces: dict[int, dict[int, float]]
    """Where each piece has a vector."""


class Searcher:
    """Searches an index; what does not change between two searches is read once."""

    def __init__(self, embedder: Embedder | None, vectors: Vectors | None, missing: str) -> None:
        """``missing`` says why there is no embedder."""
        self._embedder = embedder
        self._vectors = vectors
        self._missing = missing
        self._facts: _Facts | None = None

    def wants_vector(self, transaction: Transaction, query: Query) -> bool:
        """Whether a query is to be embedded before it is searched for."""
        facts = self._known(transaction, query)
        return not query.words_only and not [*self._without(facts)]

    def search(self, transaction: Transaction, query: Query, vector: Vector | None) -> SearchAnswer:
        """Return what fits a query best, and what was left out of the search."""
        facts = self._known(transaction, query)
        if not facts.usual.sources:
            return SearchAnswer(hits=(), legs=("words",), notes=(EMPTY,))
        asked = Counter(words(query.text))
        notes = [] if asked else ["the query holds no word"]
        terms = _terms(transaction, asked, facts.usual.sources)
        condition = _condition(query, facts.roots)
        chosen = postings.candidates(transaction, rarest(terms), facts.usual, CANDIDATES, condition)
        if not query.words_only:
            notes += self._without(facts)
        if vector is not None:
            chosen = [*dict.fromkeys((*chosen, *self._near(transaction, vector, condition)))]
        sources = _sources(transaction, chosen)
        said = _said(transaction, terms, sources, facts.usual)
        like = self._like(transaction, vector, sources)
        ranked = _ranked(sources, said, like, facts.weights)
        hits = list(_hits(transaction, ranked, said, like, query=query, weights=facts.weights))
        legs = ("words", "vectors") if vector is not None else ("words",)
        return SearchAnswer(hits=tuple(hits), legs=legs, notes=tuple(notes))

    def _known(self, transaction: Transaction, query: Query) -> _Facts:
        changes = settings.changes(transaction)
        if self._facts is None or self._facts.changes != changes:
            self._facts = _facts(transaction, changes)
        if query.weights is not None:
            return self._facts._replace(weights=query.weights)
        return self._facts

    def _without(self, facts: _Facts) -> Iterator[str]:
        """Say why the vectors take no part, if they take none."""
        if self._embedder is None:
            yield self._missing or "words only: the index has no model of vectors"
        elif facts.weights.vectors <= 0:
            yield f"words only: the vectors are switched off, {facts.weights.why}"
        elif not facts.vectors:
            yield "words only: the index has no vectors"

    def _near(
        self, transaction: Transaction, vector: Vector, condition: tuple[str, Sequence[Any]]
    ) -> list[int]:
        """Return sources that are like the query, or have a piece that is."""
        if self._vectors is None or self._embedder is None:
            return []
        found = self._vectors.nearest(transaction, vector, CANDIDATES)
        digests = [digest for digest, likeness in found if likeness >= ALIKE]
        if not digests:
            return []
        marks = ", ".join("?" * len(digests))
        values: list[Any]
        if self._embedder.level == "source":
            statement, values = f"seek.sources p WHERE p.sha256 IN ({marks})", [*digests]
        else:
            statement = f"seek.chunks p WHERE p.digest IN ({marks})"
            values = [bytes.fromhex(digest) for digest in digests]
        text, more = condition
        rows = transaction.run(
            f"SELECT DISTINCT p.source_no FROM {statement} {text} ORDER BY p.source_no",
            *values,
            *more,
        )
        return [row[0] for row in rows]

    def _like(
        self, transaction: Transaction, vector: Vector | None, sources: Sequence[_Source]
    ) -> _Like:
        """Return how like the query some sources are: a source as its best piece is."""
        if vector is None or self._vectors is None or self._embedder is None or not sources:
            return _Like({}, {})
        if self._embedder.level == "source":
            digests = sorted({source.sha256 for source in sources})
            found = self._vectors.likeness(transaction, vector, digests)
            known = {one.number: found[one.sha256] for one in sources if one.sha256 in found}
            return _Like(known, {})
        marks = ", ".join("?" * len(sources))
        rows = transaction.run(
            f"SELECT source_no, idx, digest FROM seek.chunks WHERE source_no IN ({marks})",
            *(source.number for source in sources),
        )
        places = [(number, idx, bytes(digest).hex()) for number, idx, digest in rows]
        digests = sorted({digest for _, _, digest in places})
        found = self._vectors.likeness(transaction, vector, digests)
        pieces: dict[int, dict[int, float]] = {}
        for number, idx, digest in places:
            if digest in found:
                pieces.setdefault(number, {})[idx] = found[digest]
        return _Like({number: max(one.values()) for number, one in pieces.items()}, pieces)


def _facts(transaction: Transaction, changes: int) -> _Facts:
    [(sources, all_words, pieces)] = transaction.run(
        "SELECT count(*), coalesce(sum(words), 0), coalesce(sum(pieces), 0) FROM seek.sources"
    )
    usual = Averages(
        sources=int(sources),
        words=max(1.0, float(all_words) / max(1, int(sources))),
        piece_words=max(1.0, float(all_words) / max(1, int(pieces))),
    )
    roots = transaction.run("SELECT DISTINCT root FROM seek.sources WHERE root <> ''")
    return _Facts(
        changes=changes,
        usual=usual,
        roots=tuple(row[0] for row in roots),
        weights=settings.get(transaction, settings.WEIGHTS, Weights) or Weights(),
        vectors=bool(transaction.run("SELECT 1 FROM seek.vectors LIMIT 1")),
    )


def _terms(transaction: Transaction, asked: Mapping[str, int], sources: int) -> list[Term]:
    """Return what the index has of a query's words, its rarest, in the order of their letters."""
    found = postings.look_up(transaction, asked, sources)
    if len(found) <= MOST_WORDS:
        return found
    kept = sorted(found, key=lambda term: term.sources)[:MOST_WORDS]
    return [term for term in found if term in kept]


def _condition(query: Query, roots: Sequence[str]) -> tuple[str, list[Any]]:
    """Return what a source must fulfil, as a condition on ``p.source_no``."""
    wanted: list[str] = []
    values: list[Any] = []
    if query.root is not None and any(root != query.root for root in roots):
        wanted.append("root IN ('', ?)")
        values.append(query.root)
    if query.kinds:
        wanted.append(f"kind IN ({', '.join('?' * len(query.kinds))})")
        values += query.kinds
    if not wanted:
        return "", []
    chosen = f"SELECT source_no FROM seek.sources WHERE {' AND '.join(wanted)}"
    return f"AND p.source_no IN ({chosen})", values


def _sources(transaction: Transaction, numbers: Sequence[int]) -> list[_Source]:
    if not numbers:
        return []
    rows = transaction.run(
        f"""SELECT {_SOURCE} chunking_version, words, lengths FROM seek.sources
        WHERE source_no IN ({", ".join("?" * len(numbers))})""",
        *numbers,
    )
    return [_Source._make((*row[:8], Lengths(row[8], unpack(row[9])))) for row in rows]


def _said(
    transaction: Transaction, terms: Sequence[Term], sources: Sequence[_Source], usual: Averages
) -> Scores:
    found = postings.postings(transaction, terms, [source.number for source in sources])
    return score(terms, found, {source.number: source.lengths for source in sources}, usual)


class _Ranked(NamedTuple):
    source: _Source
    score: float
    legs: dict[str, float]


def _ranked(
    sources: Sequence[_Source], said: Scores, like: _Like, weights: Weights
) -> Iterator[_Ranked]:
    """Yield the sources, the best first."""
    by_uri = {source.artifact_uri: source for source in sources}
    numbers = {uri: source.number for uri, source in by_uri.items()}
    best = {number: max(pieces.values()) for number, pieces in said.pieces.items() if pieces}
    legs = {
        "source": Leg(_named(numbers, said.sources), weights.source),
        "chunk": Leg(_named(numbers, best), weights.chunk),
        "vectors": Leg(_named(numbers, like.sources), weights.vectors),
    }
    for uri, total in fuse(legs.values()):
        told = {name: leg.scores[uri] for name, leg in legs.items() if uri in leg.scores}
        if total > 0:
            yield _Ranked(by_uri[uri], total, told)


def _named(numbers: Mapping[str, int], scores: Mapping[int, float]) -> dict[str, float]:
    return {uri: scores[number] for uri, number in numbers.items() if number in scores}


def _hits(
    transaction: Transaction,
    ranked: Iterator[_Ranked],
    said: Scores,
    like: _Like,
    *,
    query: Query,
    weights: Weights,
) -> Iterator[Found]:
    """Yield the best pieces of the best sources."""
    left = query.count
    for one in ranked:
        number = one.source.number
        of_words, of_vectors = said.pieces.get(number, {}), like.pieces.get(number, {})
        legs = (
            Leg(_padded(of_words), weights.chunk or 1.0),
            Leg(_padded(of_vectors), weights.vectors),
        )
        places = [int(name) for name, _ in fuse(legs)][: min(left, query.each)] or [0]
        for found in _pieces(transaction, one, places):
            left -= 1
            yield found
        if left < 1:
            return


def _padded(scores: Mapping[int, float]) -> dict[str, float]:
    """Return scores by a name that sorts as the number of the piece does."""
    return {f"{idx:09d}": value for idx, value in scores.items()}


def _pieces(transaction: Transaction, one: _Ranked, places: Sequence[int]) -> Iterator[Found]:
    source = one.source
    rows = transaction.run(
        f"""SELECT idx, namespace, title, digest, first_byte, after_byte, first_line, last_line
        FROM seek.chunks WHERE source_no = ? AND idx IN ({", ".join("?" * len(places))})""",
        source.number,
        *places,
    )
    by_idx = {row[0]: row for row in rows}
    for row in chain(by_idx[place] for place in places if place in by_idx):
        idx, namespace, title, digest, *place = row
        name = f"{namespace}:{source.source_type}:{source.source_id}:{source.sha256[:12]}"
        yield Found(
            chunk_id=f"{name}:{source.chunking_version}:{idx}",
            artifact_uri=source.artifact_uri,
            sha256=source.sha256,
            source_id=source.source_id,
            source_type=source.source_type,
            kind=source.kind,
            title=title,
            bytes=(place[0], place[1]),
            lines=(place[2], place[3]),
            digest=bytes(digest).hex(),
            git_commit=source.git_commit,
            score=round(one.score, 6),
            legs={leg: round(value, 6) for leg, value in one.legs.items()},
        )
