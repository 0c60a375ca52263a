"""The index: what goes in, what is found, and that nothing is lost or doubled."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from custody.errors import SeekFailed
from custody.logbook import Database
from custody.seek.index import Index, Model
from custody.seek.records import Found, Query, Weights
from support.seeking import document, pages

pytestmark = pytest.mark.req("E-10")
ROOT = "/docs"


def uris(index: Index, text: str, **settings: object) -> list[str]:
    """Return the paths of the documents that are found."""
    query = Query(text=text, root=ROOT, **settings)  # type: ignore[arg-type]
    return [hit.artifact_uri.split("/docs/", 1)[1][:-65] for hit in index.search(query).hits]


def test_what_fits_best_comes_first(index: Index) -> None:
    assert index.put(pages()) == 4
    assert uris(index, "waiting between retries")[0] == "docs/retry.md"
    assert uris(index, "workspace paths") == ["docs/paths.md"]
    assert set(uris(index, "journal")) == {"docs/journal.md", "README.md"}
    assert uris(index, "zebra") == []


def test_a_hit_says_where_it_is(index: Index) -> None:
    [cut] = [cut for cut in pages() if "retry" in cut.artifact_uri]
    index.put(pages())
    [hit] = index.search(Query(text="waits", root=ROOT)).hits
    [piece] = [chunk for chunk in cut.chunks if "waits" in chunk.text]
    assert (hit.chunk_id, hit.bytes, hit.lines) == (piece.chunk_id, piece.bytes, piece.lines)
    assert (hit.digest, hit.title, hit.sha256) == (piece.digest, piece.title, cut.sha256)
    assert set(hit.legs) == {"source", "chunk"}


def test_several_hits_of_one_source_when_asked(index: Index) -> None:
    index.put(pages())
    assert len(uris(index, "retry")) == 2
    several = uris(index, "retry", each=2)
    assert several[:2] == ["docs/retry.md"] * 2
    assert len(uris(index, "retry", each=2, count=1)) == 1


def test_the_same_again_changes_nothing(index: Index) -> None:
    index.put(pages())
    before = index.stats(), index.digest(), uris(index, "retry journal")
    assert index.put(pages()) == 0
    assert index.put([*pages(), *pages()]) == 0
    assert (index.stats(), index.digest(), uris(index, "retry journal")) == before


def test_what_is_gone_is_found_no_more_and_leaves_nothing(index: Index) -> None:
    index.put(pages())
    digest = index.digest()
    extra = document("docs/zebra.md", "# Zebra\n\nA zebra waits and retries.\n")
    index.put([extra])
    assert uris(index, "zebra") == ["docs/zebra.md"]
    assert index.digest() != digest
    index.put([], gone=[(ROOT, extra.artifact_uri), (ROOT, "memory://docs/never")])
    assert uris(index, "zebra") == []
    assert index.digest() == digest
    other = [(ROOT, cut.artifact_uri) for cut in pages()]
    index.put([], gone=other)
    stats = index.stats()
    assert (stats.sources, stats.chunks, stats.terms, stats.vectors) == (0, 0, 0, 0)


def test_the_order_of_arrival_does_not_matter(opened: Database) -> None:
    one = Index(opened)
    for cut in pages():
        one.put([cut])
    text = "a journal of stages that are tried again"
    first = one.digest(), [(hit.artifact_uri, hit.score) for hit in found(one, text)]
    one.rebuild()
    assert one.stats().sources == 0
    for cut in reversed(pages()):
        one.put([cut])
    assert (one.digest(), [(hit.artifact_uri, hit.score) for hit in found(one, text)]) == first


def found(index: Index, text: str) -> tuple[Found, ...]:
    return index.search(Query(text=text, root=ROOT)).hits


def test_an_index_of_other_versions_is_refused(opened: Database) -> None:
    Index(opened).put(pages())
    other = Index(opened, Model(name="other-1"))
    with pytest.raises(SeekFailed, match="model: none, now other-1") as failed:
        other.search(Query(text="retry"))
    assert (failed.value.code, failed.value.hint) == ("stamp", "custody seek index --rebuild")
    with pytest.raises(SeekFailed):
        other.put(pages())
    other.rebuild()
    assert other.stamped() == other.stamp
    assert other.put(pages()) == 4


def test_documents_of_another_root_are_left_out(index: Index) -> None:
    index.put([*pages(), *pages("/elsewhere")])
    assert index.stats().roots == ("/docs", "/elsewhere")
    assert len(index.search(Query(text="workspace paths", root=ROOT)).hits) == 1
    assert index.search(Query(text="workspace paths")).hits == ()
    assert len(index.keys()) == 8
    assert {root for root, _ in index.keys(root=ROOT)} == {ROOT}


def test_kinds_can_be_chosen(index: Index) -> None:
    index.put([*pages(), replace(document("a.txt", "retry"), kind="note")])
    assert uris(index, "retry", kinds=("note",)) == ["a.txt"]


def test_a_query_without_a_word_is_told(index: Index) -> None:
    index.put(pages())
    answer = index.search(Query(text="+ - !"))
    assert (answer.hits, answer.notes[0]) == ((), "the query holds no word")


def test_weights_are_kept_and_used(index: Index) -> None:
    index.put(pages())
    assert index.weights() == Weights()
    index.set_weights(Weights(source=0.0, chunk=1.0, why="measured"))
    assert index.weights().why == "measured"
    [hit] = index.search(Query(text="waits", root=ROOT)).hits
    assert hit.score == 1.0


def test_an_empty_source_is_there_and_never_found(index: Index) -> None:
    assert index.put([document("docs/empty.md", "")]) == 1
    assert index.put([document("docs/empty.md", "")]) == 0
    assert index.search(Query(text="empty", root=ROOT)).hits == ()


def test_what_is_done_with_a_source_fails_with_it(index: Index) -> None:
    def fail(_: object) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.put(pages(), then=fail)
    assert index.stats().sources == 0
