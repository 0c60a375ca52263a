"""custody's search over the pieces of changes: with the standard library only, or with vectors.

``words`` imports nothing that does not come with Python or custody. ``vectors`` fits the model of
the corpus on what is indexed, and takes the weights that are best on the questions of *dev*, as
`custody seek eval` does.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.retrieval.exchange import ANSWERS, ask, changes, pieces_of, queries, size_mb, tell
from custody.logbook import Database
from custody.logbook.address import open_database
from custody.seek.configured import index_of
from custody.seek.evaluate import choose, tried_by
from custody.seek.fit import settle
from custody.seek.index import Index
from custody.seek.questions import Question
from custody.seek.records import Cut, Query, Weights

BATCH = 200
"""Changes that go in together."""
QUARTERS = 4


def main(mode: str, corpus: str, folder: str) -> None:
    """Index and ask; the size of the index is told after each quarter of the changes."""
    database = open_database(os.path.join(folder, "index.sqlite"))
    index = Index(database) if mode == "words" else index_of(database)
    batches = [*_batches(corpus)]
    growth: list[dict[str, float]] = []
    begin = time.perf_counter()
    for number, batch in enumerate(batches, start=1):
        index.put(batch)
        if number * QUARTERS % len(batches) < QUARTERS:
            seconds = time.perf_counter() - begin
            chunks = index.stats().chunks
            growth.append({"pieces": chunks, "mb": _used_mb(database), "seconds": seconds})
    names = {f"1:{number}": name for number, (name, _) in enumerate(changes(corpus))}

    if mode == "vectors":
        assert index.model.vectors is not None
        settle(database, index.model.vectors)
    build = time.perf_counter() - begin
    asked = queries(corpus)
    if mode == "vectors":
        index.set_weights(_chosen(index, asked["dev"], names))

    def search(text: str) -> list[str]:
        hits = index.search(Query(text=text, count=ANSWERS)).hits
        return [names[hit.source_id] for hit in hits]

    figures: dict[str, Any] = ask(search, asked)
    heavy = "numpy" in sys.modules
    weights = index.weights()
    told = f"piece {weights.chunk}, vectors {weights.vectors}: {weights.why}"
    database.close()
    tell(
        {
            "build_s": build,
            "mb": size_mb(folder),
            "growth": growth,
            "numpy": heavy,
            "weights": told,
            **figures,
        }
    )


def _chosen(index: Index, dev: list[Question], names: dict[str, str]) -> Weights:
    """Return the weights that are best on dev, whose changes the index knows by number."""
    numbers = {name: number for number, name in names.items()}
    known = [Question(one.text, numbers[one.answer]) for one in dev]
    return choose([tried_by(index, one) for one in known], index.weights())


def _batches(corpus: str) -> Iterator[list[Cut]]:
    batch: list[Cut] = []
    for number, (_, diff) in enumerate(changes(corpus)):
        chunks = pieces_of(number, diff)
        first = chunks[0]
        batch.append(
            Cut(
                artifact_uri=first.artifact_uri,
                sha256=first.sha256,
                source_id=first.source_id,
                source_type=first.source_type,
                kind=first.kind,
                chunks=tuple(chunks),
            )
        )
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _used_mb(database: Database) -> float:
    with database.reading() as transaction:
        [(pages,)] = transaction.run("PRAGMA page_count")
        [(size,)] = transaction.run("PRAGMA page_size")
    return float(pages * size) / 1e6


if __name__ == "__main__":
    main(*sys.argv[1:4])
