"""The index of a logbook: words and vectors of every source, in the logbook's own database.

What goes in is a source with its pieces (`Cut`); what comes out is where a piece is (`Found`).
A source goes in whole, in one transaction, or not at all. One that is there already is left alone,
so whatever was interrupted is simply done again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from custody.logbook import Database, Transaction
from custody.logbook.migrations import migrate
from custody.model.record import encode
from custody.seek import postings, settings
from custody.seek.documents import DOCUMENTS
from custody.seek.embedders import Embedder, Passage, Vector
from custody.seek.packing import pack
from custody.seek.postings import Bag, bag_of
from custody.seek.records import Cut, Query, SearchAnswer, Stats, Weights
from custody.seek.search import Searcher
from custody.seek.stamp import IndexStamp, current, refuse_another
from custody.seek.tables import FILLED, SEEK
from custody.seek.tokens import words
from custody.seek.vectors import Vectors

LOCK = "custody seek"
Key = tuple[str, str]
"""The root and the uri of a source."""


class Model(NamedTuple):
    """The model of vectors that an index has, whether it can be used here or not."""

    name: str = ""
    """As `Embedder.model`; empty for none."""
    embedder: Embedder | None = None
    vectors: Vectors | None = None
    missing: str = ""
    """Why there is no embedder here, for whoever asks."""
    fitted: bool = False
    """Whether it is fitted on the words of the index, and never sees a text."""
    note: str = ""
    """What has to be said of how its vectors are searched."""


class Index:
    """An index in an open database; several processes may use it."""

    def __init__(self, database: Database, model: Model = Model()) -> None:  # noqa: B008 - frozen
        """Make the tables that are missing."""
        migrate(database, SEEK)
        self.database = database
        self.model = model
        self.stamp = current(model.name)
        """What this release makes."""
        self._reader = Searcher(model.embedder, model.vectors, model.missing)

    def stamped(self) -> IndexStamp | None:
        """Return what the index was made with; None for one that is empty."""
        with self.database.reading() as transaction:
            return settings.get(transaction, settings.STAMP, IndexStamp)

    def refuse_another(self) -> None:
        """Raise `SeekFailed` where the index was made with other versions."""
        with self.database.reading() as transaction:
            self._refuse_another(transaction)

    def put(
        self,
        cuts: Sequence[Cut],
        *,
        gone: Sequence[Key] = (),
        then: Callable[[Transaction], None] | None = None,
    ) -> int:
        """Add sources that are missing and remove those that are gone, all or nothing.

        ``then`` is done in the same transaction. Returns how many were added. Raises `SeekFailed`.
        """
        bags = {(cut.root, cut.artifact_uri): bag_of(_pieces(cut)) for cut in cuts}
        embedded = self._embedded(cuts)

        def work(transaction: Transaction) -> int:
            transaction.lock(LOCK)
            self._claim(transaction)
            self._remove(transaction, gone)
            new = _missing(transaction, cuts)
            _insert(transaction, new, bags)
            if embedded and self.model.vectors:
                self.model.vectors.put(transaction, embedded)
            if then is not None:
                then(transaction)
            settings.changed(transaction)
            return len(new)

        return self.database.repeat(work)

    def keys(self, *, root: str | None = None) -> set[Key]:
        """Return which sources are there; with ``root`` those of one root only."""
        condition, values = ("", ()) if root is None else (" WHERE root = ?", (root,))
        with self.database.reading() as transaction:
            statement = f"SELECT root, artifact_uri FROM seek.sources{condition}"
            return {(row[0], row[1]) for row in transaction.run(statement, *values)}

    def search(self, query: Query) -> SearchAnswer:
        """Return what fits a query best; raises `SeekFailed` for an index of other versions."""
        with self.database.reading() as transaction:
            self._refuse_another(transaction)
            embedder = self.model.embedder
            if not self._reader.wants_vector(transaction, query):
                embedder = None
        vector = None  # a server that is asked for one must not hold a transaction open
        if embedder is not None:
            vector = embedder.embed_query(Passage(query.text, Counter(words(query.text))))
        with self.database.reading() as transaction:
            return self._reader.search(transaction, query, vector)

    def patterns(self, root: str) -> tuple[str, ...]:
        """Return which documents below a root are wanted: as somebody said, or texts."""
        with self.database.reading() as transaction:
            said = settings.get(transaction, settings.PATTERNS, dict[str, tuple[str, ...]]) or {}
        return said.get(root, DOCUMENTS)

    def weights(self) -> Weights:
        """Return how much each leg has to say."""
        with self.database.reading() as transaction:
            return settings.get(transaction, settings.WEIGHTS, Weights) or Weights()

    def set_weights(self, weights: Weights) -> None:
        """Keep what was measured on this index."""

        def work(transaction: Transaction) -> None:
            transaction.lock(LOCK)
            settings.put(transaction, settings.WEIGHTS, weights)
            settings.changed(transaction)

        self.database.repeat(work)

    def rebuild(self) -> None:
        """Empty the index, and stamp it anew; which documents are wanted stays."""

        def work(transaction: Transaction) -> None:
            transaction.lock(LOCK)
            wanted = settings.get(transaction, settings.PATTERNS, dict[str, tuple[str, ...]])
            for table in FILLED:
                transaction.run(f"DELETE FROM seek.{table}")
            settings.put(transaction, settings.PATTERNS, wanted or {})
            settings.put(transaction, settings.STAMP, self.stamp)
            settings.changed(transaction)

        self.database.repeat(work)

    def digest(self) -> str:
        """Return a sha256 over the stamp and the sorted ids of all pieces.

        Whatever order they came in: the same contents have the same digest.
        """
        with self.database.reading() as transaction:
            stamp = settings.get(transaction, settings.STAMP, IndexStamp) or self.stamp
            ids = sorted(_ids(transaction))
        hashed = hashlib.sha256(encode(stamp))
        for chunk_id in ids:
            hashed.update(b"\n" + chunk_id.encode())
        return hashed.hexdigest()

    def stats(self) -> Stats:
        """Return how much there is."""
        with self.database.reading() as transaction:
            counts = {
                table: int(transaction.run(f"SELECT count(*) FROM seek.{table}")[0][0])
                for table in ("sources", "chunks", "terms", "vectors", "unresolved")
            }
            roots = transaction.run("SELECT DISTINCT root FROM seek.sources ORDER BY root")
        return Stats(**counts, roots=tuple(row[0] for row in roots if row[0]))

    def _embedded(self, cuts: Sequence[Cut]) -> list[tuple[str, Vector]]:
        """Return the vectors of what has none yet, where a model makes them of texts."""
        embedder = self.model.embedder
        if embedder is None or self.model.fitted or self.model.vectors is None:
            return []
        passages = _passages(cuts, embedder)
        with self.database.reading() as transaction:
            known = self.model.vectors.known(transaction, sorted(passages))
        new = [digest for digest in passages if digest not in known]
        if not new:
            return []
        return list(zip(new, embedder.embed([passages[one] for one in new]), strict=True))

    def _refuse_another(self, transaction: Transaction) -> None:
        found = settings.get(transaction, settings.STAMP, IndexStamp)
        if found is not None:
            refuse_another(found, self.stamp, where=self.database.where)

    def _claim(self, transaction: Transaction) -> None:
        """Stamp an empty index; refuse one of other versions."""
        self._refuse_another(transaction)
        settings.put(transaction, settings.STAMP, self.stamp)

    def _remove(self, transaction: Transaction, gone: Sequence[Key]) -> None:
        rows = [
            (*key, number, terms, sha256)
            for key in gone
            for number, terms, sha256 in transaction.run(
                """SELECT source_no, terms, sha256 FROM seek.sources
                WHERE root = ? AND artifact_uri = ?""",
                *key,
            )
        ]
        postings.remove(transaction, {row[2]: bytes(row[3]) for row in rows})
        numbers = [(row[2],) for row in rows]
        digests = {row[4] for row in rows}
        for (number,) in numbers:
            found = transaction.run("SELECT digest FROM seek.chunks WHERE source_no = ?", number)
            digests |= {bytes(row[0]).hex() for row in found}
        transaction.many("DELETE FROM seek.chunks WHERE source_no = ?", numbers)
        transaction.many("DELETE FROM seek.sources WHERE source_no = ?", numbers)
        if self.model.vectors is not None:
            lost = [digest for digest in sorted(digests) if not _has(transaction, digest)]
            self.model.vectors.drop(transaction, lost)


def _pieces(cut: Cut) -> Iterator[list[str]]:
    for chunk in cut.chunks:
        yield [*words(chunk.title), *words(chunk.text)]


def _passages(cuts: Sequence[Cut], embedder: Embedder) -> dict[str, Passage]:
    """Return what is embedded by its hash."""
    found: dict[str, Passage] = {}
    for cut in cuts:
        if embedder.level == "source":
            text = "".join(chunk.text for chunk in cut.chunks)
            found[cut.sha256] = Passage(text, {})
        else:
            found |= {chunk.digest: Passage(chunk.text, {}) for chunk in cut.chunks}
    return found


def _missing(transaction: Transaction, cuts: Sequence[Cut]) -> list[Cut]:
    """Return the sources that are not there, each once."""
    found = {}
    for cut in cuts:
        key = (cut.root, cut.artifact_uri)
        statement = "SELECT 1 FROM seek.sources WHERE root = ? AND artifact_uri = ?"
        if not transaction.run(statement, *key):
            found[key] = cut
    return list(found.values())


def _insert(transaction: Transaction, cuts: Sequence[Cut], bags: dict[Key, Bag]) -> None:
    [(last,)] = transaction.run("SELECT coalesce(max(source_no), 0) FROM seek.sources")
    numbered = dict(enumerate(cuts, start=last + 1))
    mine = {number: bags[cut.root, cut.artifact_uri] for number, cut in numbered.items()}
    terms = postings.add(transaction, mine)
    transaction.many(
        f"INSERT INTO seek.sources VALUES ({', '.join('?' * 13)})",
        [
            _source_row(number, cut, mine[number].lengths, terms[number])
            for number, cut in numbered.items()
        ],
    )
    transaction.many(
        f"INSERT INTO seek.chunks VALUES ({', '.join('?' * 9)})",
        chain.from_iterable(_chunk_rows(number, cut) for number, cut in numbered.items()),
    )


def _source_row(number: int, cut: Cut, lengths: list[int], terms: bytes) -> tuple[Any, ...]:
    return (
        number,
        cut.root,
        cut.artifact_uri,
        cut.sha256,
        cut.source_id,
        cut.source_type,
        cut.kind,
        cut.git_commit,
        cut.chunks[0].chunking_version if cut.chunks else "",
        len(cut.chunks),
        sum(lengths),
        pack(lengths),
        terms,
    )


def _chunk_rows(number: int, cut: Cut) -> Iterable[tuple[Any, ...]]:
    for chunk in cut.chunks:
        yield (
            number,
            chunk.idx,
            chunk.chunk_id.partition(":")[0],
            chunk.title,
            bytes.fromhex(chunk.digest),
            *chunk.bytes,
            *chunk.lines,
        )


def _ids(transaction: Transaction) -> Iterator[str]:
    rows = transaction.run(
        """SELECT c.namespace, s.source_type, s.source_id, s.sha256, s.chunking_version, c.idx
        FROM seek.sources s JOIN seek.chunks c ON c.source_no = s.source_no"""
    )
    for namespace, source_type, source_id, sha256, version, idx in rows:
        yield f"{namespace}:{source_type}:{source_id}:{sha256[:12]}:{version}:{idx}"


def _has(transaction: Transaction, digest: str) -> bool:
    """Whether a source or a piece of that hash is still there."""
    return bool(
        transaction.run("SELECT 1 FROM seek.sources WHERE sha256 = ? LIMIT 1", digest)
        or transaction.run(
            "SELECT 1 FROM seek.chunks WHERE digest = ? LIMIT 1", bytes.fromhex(digest)
        )
    )
