"""The corpora that searches are measured on, and the rows that come of it."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from benchmarks.retrieval import corpus as corpora
from benchmarks.retrieval import exchange, histories
from benchmarks.retrieval.debian import unpack
from benchmarks.retrieval.histories import Change, History
from benchmarks.subjects import retrieval
from benchmarks.subjects.retrieval import CHOSEN, PEERS, WORDS, Found, growth
from custody.seek.questions import Question
from support.histories import GitRepo

PATCH = """\
From: Ann <ann@example.org>
Date: Wed, 4 Jul 2018 13:58:18 +0100
Subject: [PATCH 1/2] Keep the door shut
 while it rains
Bug-Debian: https://bugs.example.org/7

---
 door.c | 2 +-

--- a/door.c
+++ b/door.c
@@ -1 +1 @@
-open
+shut, fixes #1234
"""


def test_a_patch_says_what_it_is_for_and_when(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "door.patch").write_text(PATCH)
    (tmp_path / "house" / "series").write_text("door.patch\n")
    name, [change] = histories.read(str(tmp_path))
    assert name.endswith(", 1 patches")
    assert (change.name, change.at) == ("house/door.patch", "2018-07-04")
    assert change.subject == "Keep the door shut while it rains"
    assert change.diff.startswith(b"--- a/door.c\n+++ b/door.c\n")


def test_a_repository_gives_its_commits(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    commits = [repo.commit({"a": f"{number}\n"}, f"change {number}") for number in range(3)]
    name, changes = histories.read(str(repo.folder))
    assert name == "repo, 3 commits"
    assert [change.name for change in changes] == commits
    assert [change.subject for change in changes] == ["change 0", "change 1", "change 2"]
    assert histories.commits(str(repo.folder)) == 3
    assert histories.commits(str(tmp_path)) == 0


def diff(path: str, line: str) -> bytes:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+{line}\n".encode()


def test_what_gives_answers_away_is_not_indexed() -> None:
    given = diff("door.c", "shut, fixes #1234, bug 77 and 20 lines") + diff("ChangeLog", "told")
    assert corpora.guarded_diff(given) == diff("door.c", "shut, ,  and 20 lines")
    assert corpora.guarded_diff(diff("po/de.po", "Tür") + diff("NEWS.md", "a door")) == b""


@pytest.fixture
def corpus() -> corpora.Corpus:
    changes = [
        Change(
            f"{number}",
            f"2020-01-{number:03}",
            f"paint the door number {number}",
            diff("d", f"{number}"),
        )
        for number in range(200)
    ]
    return corpora.build(History("doors", changes), most=20)


def test_questions_are_of_their_time_and_some_have_no_answer(corpus: corpora.Corpus) -> None:
    assert (len(corpus.dev), len(corpus.test), len(corpus.absent)) == (20, 20, 5)
    assert all(120 <= int(one.answer) < 150 for one in corpus.dev)
    assert all(int(one.answer) >= 150 for one in (*corpus.test, *corpus.absent))
    indexed = {change.name for change in corpus.changes}
    assert len(indexed) == 195
    assert not indexed & {one.answer for one in corpus.absent}
    assert indexed >= {one.answer for one in (*corpus.dev, *corpus.test)}


def test_the_same_history_makes_the_same_corpus(corpus: corpora.Corpus) -> None:
    again = corpora.build(History("doors", list(corpus.changes)), most=20)
    assert corpus.sha256 != again.sha256, "others are left out"
    assert corpus._replace(name="gates").sha256 == corpus.sha256


def test_a_corpus_is_handed_over_in_files(corpus: corpora.Corpus, tmp_path: Path) -> None:
    assert exchange.write(corpus, str(tmp_path)) == 195
    assert exchange.queries(str(tmp_path))["test"] == corpus.test
    assert [piece.change for piece in exchange.pieces(str(tmp_path))] == [
        change.name for change in corpus.changes
    ]
    whole = exchange.pieces(str(tmp_path), whole=True)
    assert whole[0].text.encode() == corpus.changes[0].diff

    def search(text: str) -> list[str]:
        return [text.rpartition(" ")[2]] * 3

    told = exchange.ask(search, exchange.queries(str(tmp_path)))
    assert told["found"]["test"] == [[one.answer] for one in corpus.test]
    assert told["p50_ms"] <= told["p99_ms"]


def found(by: retrieval.Contestant, *ranks: int) -> Found:
    figures = {"p50_ms": 1.0, "p99_ms": 2.0, "mb": 3.0, "build_s": 4.0, "weights": "as chosen"}
    return Found(by, list(ranks), figures)


def test_the_best_of_custody_is_set_against_the_best_peer(corpus: corpora.Corpus) -> None:
    measured = [
        found(WORDS, 2, 2),
        found(CHOSEN, 1, 2),
        found(PEERS[0], 1, 0),
        found(PEERS[1], 2, 2),
    ]
    row = retrieval.best(corpus, measured)
    assert (row.custody.value, row.peer.value, row.reached) == (0.25, 0.5, "yes")
    assert row.custody.name == CHOSEN.title
    worse = retrieval.best(corpus, [found(WORDS, 2), found(CHOSEN, 0), found(PEERS[0], 1)])
    assert worse.reached == "NO"
    missing = retrieval.best(corpus, [found(WORDS, 1), Found(PEERS[0], [], {}, "not installed")])
    assert (missing.reached, missing.peer.failure) == ("NO", "not installed")


def test_growth_is_told_by_the_piece() -> None:
    even = [{"pieces": 10.0 * n, "mb": 1.0 * n, "seconds": 2.0 * n} for n in range(1, 5)]
    assert growth(even) == ({"mb": 100.0, "seconds": 200.0}, {"mb": 100.0, "seconds": 200.0})
    steep = [*even[:3], {"pieces": 40.0, "mb": 9.0, "seconds": 8.0}]
    assert growth(steep)[1]["mb"] == 600.0
    assert growth(even[:1]) == ({}, {})


def test_what_is_searched_can_be_named() -> None:
    named = {"BENCH_REPO": "/a", "BENCH_REPO2": "/b"}
    assert retrieval.places(named) == (["/a", "/b"], "")


def test_patches_of_a_package_are_unpacked(tmp_path: Path) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as archive:
        for name in ("debian/patches/door.patch", "debian/patches/../../x", "debian/rules"):
            member = tarfile.TarInfo(name)
            member.size = len(PATCH)
            archive.addfile(member, io.BytesIO(PATCH.encode()))
    assert unpack(data.getvalue(), str(tmp_path / "it")) == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == [".._.._x", "door.patch", "it"]


def test_nothing_that_is_asked_names_its_answer(corpus: corpora.Corpus) -> None:
    assert all(isinstance(one, Question) for one in corpus.test)
    for one in corpus.test:
        [change] = [change for change in corpus.changes if change.name == one.answer]
        assert one.text not in change.diff.decode()
