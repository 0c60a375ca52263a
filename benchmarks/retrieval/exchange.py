"""A corpus as files, for programs that search it, and what they print.

The program of a contestant is told a folder of these files and an empty one to work in. It prints
one JSON object: ``build_s`` and ``mb`` of its index, ``p50_ms`` and ``p99_ms`` of a query,
``p50_cpu`` for the processor's time of it, which a busy machine changes less, and in ``found`` for
``dev``, ``test`` and ``absent`` the names of the changes for each query, the best first.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.retrieval.corpus import Corpus
from custody.seek.chunk import Chunk
from custody.seek.chunkers import chunk_diff
from custody.seek.questions import Question

ANSWERS = 10
PIECES = 50
"""So many pieces are asked for, so that ten changes come together."""
_CHANGES, _PIECES, _QUERIES = "changes.jsonl", "pieces.jsonl", "queries.json"
KINDS = ("dev", "test", "absent")


class Piece(NamedTuple):
    """What a peer indexes."""

    change: str
    text: str


def write(corpus: Corpus, folder: str) -> int:
    """Write a corpus into a folder; return how many pieces it has."""
    count = 0
    with (
        open(os.path.join(folder, _CHANGES), "w", encoding="utf-8") as changed,
        open(os.path.join(folder, _PIECES), "w", encoding="utf-8") as cut,
        open(os.path.join(folder, _QUERIES), "w", encoding="utf-8") as asked,
    ):
        json.dump({kind: getattr(corpus, kind) for kind in KINDS}, asked)
        for number, change in enumerate(corpus.changes):
            diff = base64.b64encode(change.diff).decode()
            changed.write(json.dumps([change.name, diff]) + "\n")
            for chunk in pieces_of(number, change.diff):
                cut.write(json.dumps([change.name, chunk.text]) + "\n")
                count += 1
    return count


def pieces_of(number: int, diff: bytes) -> list[Chunk]:
    """Return the pieces of a change as custody cuts it; its number is its name."""
    return chunk_diff(content=diff, source_type="git", source_id=f"1:{number}")


def changes(folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield each change with its diff."""
    for name, diff in _lines(os.path.join(folder, _CHANGES)):
        yield name, base64.b64decode(diff)


def pieces(folder: str, *, whole: bool = False) -> list[Piece]:
    """Return the pieces that are indexed, or each change as one piece."""
    if whole:
        return [Piece(name, diff.decode(errors="replace")) for name, diff in changes(folder)]
    return [Piece(*line) for line in _lines(os.path.join(folder, _PIECES))]


def queries(folder: str) -> dict[str, list[Question]]:
    """Return what is asked."""
    with open(os.path.join(folder, _QUERIES), encoding="utf-8") as file:
        return {
            kind: [Question(*query) for query in asked] for kind, asked in json.load(file).items()
        }


def ask(search: Callable[[str], Sequence[str]], asked: dict[str, list[Question]]) -> dict[str, Any]:
    """Return what a search finds for every query, and how long those of ``test`` take."""
    search(asked["dev"][0].text if asked["dev"] else "warm")
    times: list[float] = []
    computed: list[float] = []
    found: dict[str, list[list[str]]] = {}
    for kind in KINDS:
        found[kind] = []
        for query in asked[kind]:
            begin, used = time.perf_counter(), time.process_time()
            names = search(query.text)
            seconds, worked = time.perf_counter() - begin, time.process_time() - used
            found[kind].append([*dict.fromkeys(names)][:ANSWERS])
            if kind == "test":
                times.append(seconds * 1e3)
                computed.append(worked * 1e3)
    times.sort()
    computed.sort()
    spans = {"p50_ms": _at(times, 0.5), "p99_ms": _at(times, 0.99), "p50_cpu": _at(computed, 0.5)}
    return {"found": found, **spans}


def tell(figures: dict[str, Any]) -> None:
    """Print what was measured, for the benchmark."""
    sys.stdout.write(json.dumps(figures) + "\n")


def size_mb(folder: str) -> float:
    """Return how much lies in a folder."""
    return (
        sum(
            os.path.getsize(os.path.join(place, name))
            for place, _, names in os.walk(folder)
            for name in names
        )
        / 1e6
    )


def _lines(path: str) -> Iterator[Any]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0
