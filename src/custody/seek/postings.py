"""The tables of words: written and read by statements that both databases understand.

A posting belongs to a word and a source; in it stands which pieces have the word. So one table
serves both levels, a search reads nothing of sources that share no word with it, and what it reads
grows no faster than the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from custody.logbook import Transaction
from custody.seek.lexical import OF_SOURCES, Averages, Posting, Term, weight
from custody.seek.packing import pack, pack_rising, unpack, unpack_rising

_PAGE = 500
"""Values of one statement at most, or a few more."""


class Bag(NamedTuple):
    """The words of a source, in no order."""

    times: dict[str, int]
    """How often it has each."""
    places: dict[str, list[int]]
    """By turns a piece, counted from the one before, and how often it has the word."""
    lengths: list[int]
    """How many words each piece has."""


def bag_of(pieces: Iterable[Sequence[str]]) -> Bag:
    """Return the words of a source, given those of each piece."""
    bag = Bag({}, {}, [])
    last: dict[str, int] = {}
    for idx, words in enumerate(pieces):
        bag.lengths.append(len(words))
        for word, times in Counter(words).items():
            bag.times[word] = bag.times.get(word, 0) + times
            bag.places.setdefault(word, []).extend((idx - last.get(word, 0), times))
            last[word] = idx
    return bag


def add(transaction: Transaction, bags: Mapping[int, Bag]) -> dict[int, bytes]:
    """Add sources by their numbers; return by which words `remove` will find each of them."""
    having: Counter[str] = Counter()
    for bag in bags.values():
        having.update(bag.times.keys())
    numbers = _numbered(transaction, having)
    rows: list[tuple[int, int, int, int, bytes]] = []
    terms: dict[int, bytes] = {}
    for source_no, bag in bags.items():
        words = sum(bag.lengths)
        rows += [
            (numbers[word], source_no, times, words, pack(bag.places[word]))
            for word, times in bag.times.items()
        ]
        terms[source_no] = pack_rising(sorted(numbers[word] for word in bag.times))
    rows.sort()
    transaction.many("INSERT INTO seek.postings VALUES (?, ?, ?, ?, ?)", rows)
    return terms


def remove(transaction: Transaction, terms: Mapping[int, bytes]) -> None:
    """Remove sources, with the words that nothing else has."""
    lost: Counter[int] = Counter()
    for source_no, packed in terms.items():
        numbers = unpack_rising(packed)
        lost.update(numbers)
        transaction.many(
            "DELETE FROM seek.postings WHERE term_no = ? AND source_no = ?",
            [(number, source_no) for number in numbers],
        )
    rows = [(count, number) for number, count in sorted(lost.items())]
    transaction.many("UPDATE seek.terms SET sources = sources - ? WHERE term_no = ?", rows)
    transaction.many(
        "DELETE FROM seek.terms WHERE term_no = ? AND sources = 0", [(row[1],) for row in rows]
    )


def look_up(transaction: Transaction, words: Mapping[str, int], sources: int) -> list[Term]:
    """Return those of a query's words that the index has, in the order of their letters."""
    rows = _selected(
        transaction, "SELECT term, term_no, sources FROM seek.terms WHERE term IN", sorted(words)
    )
    return [
        Term(number=row[1], sources=row[2], weight=weight(sources, row[2], words[row[0]]))
        for row in sorted(rows)
    ]


def candidates(
    transaction: Transaction,
    terms: Sequence[Term],
    usual: Averages,
    limit: int,
    condition: tuple[str, Sequence[Any]] = ("", ()),
) -> list[int]:
    """Return the sources that fit some words best; ``condition`` is one on ``p.source_no``."""
    if not terms:
        return []
    wanted = ", ".join(["(CAST(? AS BIGINT), CAST(? AS DOUBLE PRECISION))"] * len(terms))
    text, values = condition
    rows = transaction.run(
        f"""WITH wanted (term_no, weight) AS (VALUES {wanted})
        SELECT p.source_no, sum(w.weight * p.times / (p.times + CAST(? AS DOUBLE PRECISION)
            + CAST(? AS DOUBLE PRECISION) * p.words)) AS score
        FROM wanted w CROSS JOIN seek.postings p
        WHERE p.term_no = w.term_no {text}
        GROUP BY p.source_no ORDER BY score DESC, p.source_no LIMIT ?""",
        *chain.from_iterable((term.number, term.weight) for term in terms),
        OF_SOURCES.k1 * (1 - OF_SOURCES.b),
        OF_SOURCES.k1 * OF_SOURCES.b / usual.words,
        *values,
        limit,
    )
    return [row[0] for row in rows]


def postings(
    transaction: Transaction, terms: Sequence[Term], sources: Sequence[int]
) -> list[Posting]:
    """Return what some sources have of some words."""
    if not terms or not sources:
        return []
    rows = transaction.run(
        f"""SELECT term_no, source_no, times, places FROM seek.postings
        WHERE term_no IN ({_marks(terms)}) AND source_no IN ({_marks(sources)})""",
        *(term.number for term in terms),
        *sources,
    )
    return [Posting(row[0], row[1], row[2], unpack(row[3])) for row in rows]


def _numbered(transaction: Transaction, having: Mapping[str, int]) -> dict[str, int]:
    """Return the number of each word, counted up by the sources that are about to have it."""
    known = "SELECT term, term_no FROM seek.terms WHERE term IN"
    numbers = {row[0]: row[1] for row in _selected(transaction, known, sorted(having))}
    old = [(having[word], number) for word, number in numbers.items()]
    transaction.many("UPDATE seek.terms SET sources = sources + ? WHERE term_no = ?", old)
    [(last,)] = transaction.run("SELECT coalesce(max(term_no), 0) FROM seek.terms")
    new = sorted(having.keys() - numbers.keys())
    numbers |= {word: last + step for step, word in enumerate(new, start=1)}
    rows = [(numbers[word], word, having[word]) for word in new]
    transaction.many("INSERT INTO seek.terms VALUES (?, ?, ?)", rows)
    return numbers


def _selected(
    transaction: Transaction, statement: str, values: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """Return what a statement that ends with ``IN`` gives for values, however many they are."""
    found: list[tuple[Any, ...]] = []
    for begin in range(0, len(values), _PAGE):
        page = values[begin : begin + _PAGE]
        found += transaction.run(f"{statement} ({_marks(page)})", *page)
    return found


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" * len(values))
