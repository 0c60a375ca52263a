"""When vectors are fitted, and who gets one."""

from __future__ import annotations

import sys

import pytest

from custody.logbook import Database
from custody.seek.configured import index_of
from custody.seek.fit import LEAST, settle
from custody.seek.index import Index
from custody.seek.records import Query
from support.seeking import document

pytestmark = pytest.mark.req("E-10")


def texts(first: int, last: int) -> list[str]:
    """Return pairs of subjects that share no word."""
    fruit, tools = "apple pear plum", "hammer nail saw"
    return [f"{fruit if number % 2 else tools} number{number}" for number in range(first, last)]


def put(index: Index, first: int, last: int) -> None:
    cuts = [
        document(f"docs/{number}.md", text)
        for number, text in enumerate(texts(first, last), start=first)
    ]
    index.put(cuts)


@pytest.fixture
def fitted(opened: Database) -> Index:
    """Return an index with the model that is fitted on it."""
    return index_of(opened)


def test_few_sources_get_none_and_it_is_said(fitted: Index, opened: Database) -> None:
    put(fitted, 0, LEAST - 1)
    assert fitted.model.vectors is not None
    settled = settle(opened, fitted.model.vectors)
    assert (settled.fitted, settled.vectors) == (False, 0)
    assert settled.note == "words only: 15 sources are too few to fit vectors on; 16 are enough"
    answer = fitted.search(Query(text="apple"))
    assert (answer.legs, answer.notes) == (("words",), ("words only: the index has no vectors",))


def test_new_sources_are_seen_with_what_was_learnt_until_there_are_many(
    fitted: Index, opened: Database
) -> None:
    vectors = fitted.model.vectors
    assert vectors is not None
    put(fitted, 0, 20)
    settled = settle(opened, vectors)
    assert (settled.fitted, settled.vectors) == (True, 20)
    settled = settle(opened, vectors)
    assert (settled.fitted, settled.vectors) == (False, 0)
    put(fitted, 20, 25)
    settled = settle(opened, vectors)
    assert (settled.fitted, settled.vectors) == (False, 5)
    put(fitted, 25, 30)
    settled = settle(opened, vectors)
    assert (settled.fitted, settled.vectors) == (True, 30)
    assert fitted.stats().vectors == 30
    answer = fitted.search(Query(text="pear", count=30, root="/docs"))
    assert answer.legs == ("words", "vectors")
    assert [hit.artifact_uri for hit in answer.hits if int(hit.source_id[5:-3]) % 2 == 0] == []
    assert len(answer.hits) == 15
    assert {"source", "chunk", "vectors"} == set(answer.hits[0].legs)


def test_vectors_go_with_their_sources(fitted: Index, opened: Database) -> None:
    put(fitted, 0, 20)
    assert fitted.model.vectors is not None
    settle(opened, fitted.model.vectors)
    gone = sorted(fitted.keys())[:3]
    fitted.put([], gone=gone)
    assert fitted.stats().vectors == 17


def test_without_numpy_it_is_words_alone_and_said_so(
    opened: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    index = index_of(opened)
    put(index, 0, 20)
    answer = index.search(Query(text="apple", root="/docs"))
    assert (len(answer.hits), answer.legs) == (10, ("words",))
    [note] = answer.notes
    assert note == (
        "words only: vectors need NumPy, which is not installed: "
        "pip install 'custody-runtime[vectors]'"
    )
    assert index.stamp == index_of(opened).stamp
