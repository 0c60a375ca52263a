"""How the legs of a search work together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from custody.logbook import Database
from custody.seek.embedders import Level, Passage, Vector
from custody.seek.exact_vectors import ExactVectors
from custody.seek.index import Index, Model
from custody.seek.records import Query, Weights
from support.seeking import document, pages

pytestmark = pytest.mark.req("E-10")


class Letters:
    """Embeds a text by two of its letters: what it is like is known without a model."""

    model = "letters-1"
    dimension = 2

    def __init__(self, level: Level) -> None:
        self.level: Level = level
        self.asked = 0

    def embed(self, passages: Sequence[Passage]) -> list[Vector]:
        """Return how much of a text is z, and how much is not."""
        self.asked += len(passages)
        return [self._one(passage.text) for passage in passages]

    def embed_query(self, passage: Passage) -> Vector:
        """Return the same of a query."""
        return self._one(passage.text)

    def _one(self, text: str) -> Vector:
        part = text.count("z") / max(1, len(text))
        length = (part**2 + (1 - part) ** 2) ** 0.5
        return [part / length, (1 - part) / length]


@pytest.fixture(params=["source", "chunk"])
def lettered(request: pytest.FixtureRequest, opened: Database) -> tuple[Index, Letters]:
    """Return an index with vectors of each level."""
    embedder = Letters(request.param)
    return Index(opened, Model("letters-1", embedder, ExactVectors(2))), embedder


def test_vectors_find_what_shares_no_word(lettered: tuple[Index, Letters]) -> None:
    index, _ = lettered
    index.put([*pages(), document("z.md", "zzzz zzzz\n")])
    answer = index.search(Query(text="zzz", root="/docs"))
    assert answer.legs == ("words", "vectors")
    assert answer.hits[0].source_id == ".:z.md"
    assert set(answer.hits[0].legs) == {"vectors"}
    assert index.search(Query(text="zzz", root="/docs", words_only=True)).hits == ()
    assert index.search(Query(text="zzz", root="/elsewhere")).hits == ()


def test_the_piece_that_is_most_alike_is_the_hit(opened: Database) -> None:
    index = Index(opened, Model("letters-1", Letters("chunk"), ExactVectors(2)))
    index.put([document("d.md", "# A\n\nplain\n\n# B\n\nzzzzzzzzzzzz\n")])
    [hit] = index.search(Query(text="zz", root="/docs")).hits
    assert hit.title == "B"


def test_the_same_bytes_are_embedded_once(lettered: tuple[Index, Letters]) -> None:
    index, embedder = lettered
    index.put(pages())
    first = embedder.asked
    index.put(pages())
    index.put(pages("/elsewhere"))
    assert embedder.asked == first > 0
    index.put([], gone=[("/docs", cut.artifact_uri) for cut in pages()])
    assert index.stats().vectors == first
    index.put([], gone=[("/elsewhere", cut.artifact_uri) for cut in pages()])
    assert index.stats().vectors == 0


def test_a_leg_that_is_switched_off_is_told(lettered: tuple[Index, Letters]) -> None:
    index, _ = lettered
    index.put(pages())
    index.set_weights(Weights(vectors=0.0, why="it lowered MRR on dev"))
    answer = index.search(Query(text="retry", root="/docs"))
    assert answer.legs == ("words",)
    assert answer.notes == ("words only: the vectors are switched off, it lowered MRR on dev",)


def test_a_long_query_counts_by_its_rarest_words(index: Index) -> None:
    index.put([document("many.md", " ".join(f"word{n}" for n in range(40))), *pages()])
    text = " ".join(["journal", *(f"word{n}" for n in range(40))])
    assert index.search(Query(text=text, root="/docs")).hits[0].source_id == ".:many.md"


def test_what_was_read_once_is_read_again_after_a_change(index: Index) -> None:
    index.put(pages())
    assert len(index.search(Query(text="journal", root="/docs")).hits) == 2
    index.put([document("more.md", "Another journal.\n")])
    assert len(index.search(Query(text="journal", root="/docs")).hits) == 3
