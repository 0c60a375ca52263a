"""Fits the vectors of an index to it, and gives one to every source that has none.

Fitting begins anew when the index has grown by half, or shrunk by a third. Until then, what is new
is seen with the directions that are there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from custody.logbook import Database, Transaction
from custody.model.record import Record
from custody.seek import settings
from custody.seek.embedders import Passage
from custody.seek.embedders.lsa import Lsa, WordTable, fit
from custody.seek.packing import unpack_rising
from custody.seek.vectors import Vectors

if TYPE_CHECKING:
    import numpy as np

LEAST = 16
"""Sources below which nothing can be learnt of them."""
MOST_WORDS = 40_000
"""Words that get a direction: those that most sources have, but not half of them."""
MOST_SOURCES = 20_000
"""Sources that directions are learnt from."""
GROWN = 1.5
_PAGE = 50_000
_FEW = 200
"""Sources that are embedded at once."""
_LOCK = "custody seek"


class Fit(Record, frozen=True):
    """What the directions were learnt from."""

    sources: int
    words: int


class Settled(Record, frozen=True):
    """What came of it."""

    fitted: bool
    """Whether the directions are new."""
    vectors: int
    """Sources that have got a vector."""
    note: str = ""


def settle(database: Database, vectors: Vectors) -> Settled:
    """Fit where it is time to, and embed what has no vector."""
    with database.reading() as transaction:
        [(sources,)] = transaction.run("SELECT count(*) FROM seek.sources WHERE words > 0")
        before = settings.get(transaction, settings.FIT, Fit)
    if sources < LEAST:
        what = f"words only: {sources} sources are too few to fit vectors on; {LEAST} are enough"
        return Settled(fitted=False, vectors=0, note=what)
    if before is None or sources >= GROWN * before.sources or GROWN * sources <= before.sources:
        return Settled(fitted=True, vectors=_refit(database, vectors))
    return Settled(fitted=False, vectors=_embed_rest(database, vectors))


def _refit(database: Database, vectors: Vectors) -> int:
    with database.reading() as transaction:
        names = _sources(transaction)
        vocabulary = _vocabulary(transaction, len(names))
        table = _table(transaction, list(names), [number for number, _ in vocabulary])
    sample = None
    if len(names) > MOST_SOURCES:
        sample = sorted(range(len(names)), key=[*names.values()].__getitem__)[:MOST_SOURCES]
    found = fit(table, sample)

    def work(transaction: Transaction) -> int:
        transaction.lock(_LOCK)
        present = set(_sources(transaction).values())
        transaction.run("DELETE FROM seek.basis")
        transaction.run("DELETE FROM seek.vectors")
        data = found.basis.astype("<f2")
        transaction.many(
            "INSERT INTO seek.basis VALUES (?, ?)",
            [(word, data[place].tobytes()) for place, (_, word) in enumerate(vocabulary)],
        )
        rows = {
            sha256: found.vectors[place]
            for place, sha256 in enumerate(names.values())
            if sha256 in present
        }
        vectors.put(transaction, rows.items())
        settings.put(transaction, settings.FIT, Fit(sources=len(names), words=len(vocabulary)))
        settings.changed(transaction)
        return len(rows)

    return database.repeat(work)


def _embed_rest(database: Database, vectors: Vectors) -> int:
    """Embed the sources that have no vector; return how many these are."""
    with database.reading() as transaction:
        names = _sources(transaction)
        known = vectors.known(transaction, sorted(set(names.values())))
    missing = {sha256: number for number, sha256 in names.items() if sha256 not in known}
    embedder = Lsa(database)
    numbers = list(missing.items())
    for begin in range(0, len(numbers), _FEW):
        some = numbers[begin : begin + _FEW]
        with database.reading() as transaction:
            passages = [Passage("", _words_of(transaction, number)) for _, number in some]
        digests = [sha256 for sha256, _ in some]
        _put(database, vectors, list(zip(digests, embedder.embed(passages), strict=True)))
    return len(numbers)


def _put(database: Database, vectors: Vectors, rows: Sequence[tuple[str, Any]]) -> None:
    def work(transaction: Transaction) -> None:
        transaction.lock(_LOCK)
        present = set(_sources(transaction).values())
        vectors.put(transaction, [row for row in rows if row[0] in present])
        settings.changed(transaction)

    database.repeat(work)


def _sources(transaction: Transaction) -> dict[int, str]:
    """Return the hashes of sources that have words, by their numbers."""
    return dict(
        transaction.run(
            "SELECT source_no, sha256 FROM seek.sources WHERE words > 0 ORDER BY sha256, source_no"
        )
    )


def _vocabulary(transaction: Transaction, sources: int) -> list[tuple[int, str]]:
    """Return the numbers of the words that get a direction, with the words, in their order."""
    rows = transaction.run(
        """SELECT term_no, term FROM seek.terms WHERE sources >= ? AND sources <= ?
        ORDER BY sources DESC, term LIMIT ?""",
        1 if sources < 10 * LEAST else 2,
        max(2, sources // 2),
        MOST_WORDS,
    )
    return sorted(((row[0], row[1]) for row in rows), key=lambda row: row[1])


def _table(transaction: Transaction, sources: Sequence[int], words: Sequence[int]) -> WordTable:
    """Return the entries of the words that get a direction, by source."""
    import numpy as np

    rows, columns, times = (array("q") for _ in range(3))
    for term_no, source_no, count in _postings(transaction):
        columns.append(term_no)
        rows.append(source_no)
        times.append(count)
    row_places = _places(sources, np.frombuffer(rows, dtype=np.int64))
    column_places = _places(words, np.frombuffer(columns, dtype=np.int64))
    kept = (row_places >= 0) & (column_places >= 0)
    order = np.argsort(row_places[kept], kind="stable")
    return WordTable(
        sources=row_places[kept][order],
        words=column_places[kept][order],
        times=np.frombuffer(times, dtype=np.int64)[kept][order],
        shape=(len(sources), len(words)),
    )


def _places(wanted: Sequence[int], numbers: np.ndarray) -> np.ndarray:
    """Return for each number its place among those that are wanted; -1 for none."""
    import numpy as np

    places = np.full(int(max([*wanted, numbers.max(initial=0)])) + 1, -1, dtype=np.int64)
    places[np.asarray(wanted, dtype=np.int64)] = np.arange(len(wanted))
    found: np.ndarray = places[numbers]
    return found


def _postings(transaction: Transaction) -> Iterator[tuple[int, int, int]]:
    term_no = source_no = -1
    while True:
        rows = transaction.run(
            """SELECT term_no, source_no, times FROM seek.postings
            WHERE (term_no, source_no) > (?, ?) ORDER BY term_no, source_no LIMIT ?""",
            term_no,
            source_no,
            _PAGE,
        )
        if not rows:
            return
        yield from rows
        term_no, source_no, _ = rows[-1]


def _words_of(transaction: Transaction, source_no: int) -> dict[str, int]:
    """Return how often a source has each of its words."""
    found: dict[str, int] = {}
    rows = transaction.run("SELECT terms FROM seek.sources WHERE source_no = ?", source_no)
    numbers = unpack_rising(rows[0][0]) if rows else []
    for begin in range(0, len(numbers), 500):
        page = numbers[begin : begin + 500]
        found |= dict(
            transaction.run(
                f"""SELECT t.term, p.times FROM seek.postings p
                JOIN seek.terms t ON t.term_no = p.term_no
                WHERE p.term_no IN ({", ".join("?" * len(page))}) AND p.source_no = ?""",
                *page,
                source_no,
            )
        )
    return found
