"""Finding a change by what its author said of it: custody's search beside the best peers.

BENCH_REPO and BENCH_REPO2 name what is searched: git repositories, or folders of patches. On the
second nothing was ever chosen. Without them it is the largest history of this machine, and
the patches of Debian's packages, where `benchmarks.retrieval.debian` fetched them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from benchmarks.contestants import HERE, version
from benchmarks.fresh import Ground, NotMeasured, tell
from benchmarks.retrieval import corpus as corpora
from benchmarks.retrieval import exchange, histories
from benchmarks.retrieval.corpus import Corpus
from benchmarks.retrieval.histories import Change, History
from benchmarks.subjects import Scale
from benchmarks.table import Figure, Row, Section
from custody.seek.quality import compared, quality, rank_of
from custody.seek.questions import BIAS

VARIABLES = ("BENCH_REPO", "BENCH_REPO2")
PATCHES = os.path.join(os.path.dirname(HERE), ".patches")
ENOUGH = 10_000
"""Commits of a history that is long."""
P50_MS = 15.0
GROWTH = 1.25
"""A piece of the last quarter may cost so much more than one of the first."""
HEADINGS = (
    "searched", "by", "MRR@10", "recall@10", "custody's MRR minus it", "p50 ms", "p99 ms",
    "index MB", "made in s",
)  # fmt: skip


class Contestant(NamedTuple):
    """A program that searches, and how."""

    title: str
    script: str
    mode: str
    package: str = ""

    @property
    def name(self) -> str:
        """Return the title with the version in place of ``{}``."""
        return self.title.format(version(self.package)) if self.package else self.title


WORDS = Contestant("custody, standard library", "benchmarks.scripts.custody_retrieval", "words")
CHOSEN = Contestant(
    "custody, vectors as chosen on dev", "benchmarks.scripts.custody_retrieval", "vectors"
)
PEERS = tuple(
    Contestant(f"{title}, {told}", f"benchmarks.peers.{script}", mode, package)
    for title, script, package, modes in (
        ("tantivy {}", "with_tantivy", "tantivy", ("pieces,default", "whole,default")),
        ("bm25s {}", "with_bm25s", "bm25s", ("pieces", "whole")),
        ("LanceDB {}", "with_lancedb", "lancedb", ("pieces", "whole")),
    )
    for mode, told in zip(modes, ("pieces", "whole changes"), strict=True)
)


class Found(NamedTuple):
    """What a contestant made of a corpus."""

    by: Contestant
    ranks: list[int]
    figures: Mapping[str, Any]
    failure: str = ""


def retrieval(ground: Ground, scale: Scale) -> list[Row | Section]:
    """Measure quality on each history, times and growth on all of them together."""
    folders, note = places(os.environ)
    read = [histories.read(folder) for folder in folders]
    rows: list[Row] = []
    lines: list[tuple[str, ...]] = []
    notes = [note] if note else []
    for history in read:
        newest = history._replace(changes=history.changes[-scale.changes :])
        corpus = corpora.build(newest, most=scale.questions)
        found = [_measured(ground, corpus, one) for one in (WORDS, CHOSEN, *PEERS)]
        rows.append(best(corpus, found))
        lines += _lines(corpus, found)
        notes.append(_about(corpus, found))
    rows += _times(ground, _together(read, scale.searched_pieces))
    return [*rows, Section("retrieval", HEADINGS, tuple(lines), (*notes, f"Bias: {BIAS}."))]


def places(variables: Mapping[str, str]) -> tuple[list[str], str]:
    """Return what is searched, and what has to be said about it."""
    if named := [variables[name] for name in VARIABLES if variables.get(name)]:
        return named, ""
    largest = histories.largest()
    count = histories.commits(largest) if largest else 0
    patches = [os.path.join(PATCHES, half) for half in ("first", "second")]
    there = [place for place in patches if os.path.isdir(place)]
    if count >= ENOUGH:
        return [largest, *there[:1]], ""
    note = (
        f"No git repository with {ENOUGH:,} commits is on this machine: BENCH_REPO=DIR names one. "
        "In its place stand the patches of Debian's packages, each a change that was released, "
        "with the words of its author."
    )
    return [*there, *([largest] if largest else [])], note


def _measured(ground: Ground, corpus: Corpus, contestant: Contestant) -> Found:
    """Let a contestant index a corpus and search it, in a process of its own."""
    sys.stderr.write(f"  {corpus.name}: {contestant.name}\n")
    folder = ground.fresh()
    exchange.write(corpus, folder)
    return _run(ground, folder, corpus, contestant)


def _run(ground: Ground, folder: str, corpus: Corpus, contestant: Contestant) -> Found:
    words = [sys.executable, "-m", contestant.script, contestant.mode, folder, ground.fresh()]
    try:
        figures = tell(words, cwd=os.path.dirname(HERE))
    except NotMeasured as reason:
        return Found(contestant, [], {}, str(reason))
    answers = figures["found"]["test"]
    ranks = [rank_of(one.answer, names) for one, names in zip(corpus.test, answers, strict=True)]
    return Found(contestant, ranks, figures)


def best(corpus: Corpus, found: Sequence[Found]) -> Row:
    """Return custody's best beside the best peer; what is compared is the MRR that is missing."""
    own = _highest(one for one in found if one.by in (WORDS, CHOSEN))
    peer = _highest(one for one in found if one.by in PEERS)
    sure = f"difference {compared(own.ranks, peer.ranks)}" if own.ranks and peer.ranks else ""
    return Row(
        f"search, 1 - MRR@10 on {corpus.name}",
        Figure(_missing(own), "", own.by.title, sure, own.failure),
        Figure(_missing(peer), "", peer.by.name, "", peer.failure),
        bar=1.0,
    )


def _highest(found: Iterator[Found]) -> Found:
    return max(found, key=lambda one: quality(one.ranks).mrr)


def _missing(found: Found) -> float | None:
    return 1 - quality(found.ranks).mrr if found.ranks else None


def _lines(corpus: Corpus, found: Sequence[Found]) -> Iterator[tuple[str, ...]]:
    own = _highest(one for one in found if one.by in (WORDS, CHOSEN))
    for one in found:
        if one.failure:
            yield (corpus.name, one.by.name, f"not measured: {one.failure}", *[""] * 6)
            continue
        said = quality(one.ranks)
        against = "-" if one.by in (WORDS, CHOSEN) else str(compared(own.ranks, one.ranks))
        times = (f"{one.figures[name]:.1f}" for name in ("p50_ms", "p99_ms", "mb", "build_s"))
        yield (corpus.name, one.by.name, f"{said.mrr:.3f}", f"{said.recall:.3f}", against, *times)


def _about(corpus: Corpus, found: Sequence[Found]) -> str:
    told = f"{len(corpus.changes):,} changes indexed, {len(corpus.test)} questions"
    weights = next(
        (str(one.figures["weights"]) for one in found if one.by == CHOSEN and one.ranks), ""
    )
    return f"{corpus.name}: {told}, corpus {corpus.sha256[:12]}; {weights or 'no weights'}."


def _together(read: Sequence[History], pieces: int) -> Corpus:
    """Return so many pieces of all histories, with questions only to have something to ask."""
    changes: list[Change] = []
    count = 0
    for change in chain.from_iterable(history.changes for history in read):
        if count >= pieces:
            break
        if diff := corpora.guarded_diff(change.diff):
            changes.append(change._replace(name=f"{len(changes)}", diff=diff))
            count += len(exchange.pieces_of(0, diff))
    return corpora.build(History(f"{count:,} pieces", changes), most=1000)


def _times(ground: Ground, corpus: Corpus) -> Iterator[Row]:
    found = _measured(ground, corpus, WORDS)
    figures = found.figures
    heavy = "WITH NUMPY" if figures.get("numpy") else f"p99 {figures.get('p99_ms', 0):.1f} ms"
    heavy += f", p50 of the processor's time {figures.get('p50_cpu', 0):.1f} ms"
    what = f"search, p50 at {corpus.name}, standard library"
    own = Figure(figures.get("p50_ms"), "ms", "", heavy, found.failure)
    yield Row(what, own, Figure(P50_MS, "ms", "at most"), bar=1.0)
    first, last = growth(figures.get("growth", []))
    for name, unit in (("kB", "mb"), ("ms", "seconds")):
        yield Row(
            f"search, index of {corpus.name}, {name} a piece in its last quarter",
            Figure(last.get(unit), name, failure=found.failure),
            Figure(first.get(unit), name, "its first quarter", failure=found.failure),
            bar=GROWTH,
        )


def growth(points: Sequence[Mapping[str, float]]) -> tuple[dict[str, float], dict[str, float]]:
    """Return what a piece cost in the first quarter and in the last, in thousandths."""
    if len(points) < 2:  # noqa: PLR2004 - a beginning and an end
        return {}, {}
    nothing = dict.fromkeys(points[0], 0.0)
    return _costs(nothing, points[0]), _costs(points[-2], points[-1])


def _costs(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    pieces = after["pieces"] - before["pieces"]
    return {name: 1e3 * (after[name] - before[name]) / pieces for name in ("mb", "seconds")}
