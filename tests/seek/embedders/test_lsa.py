"""Which words go with which."""

from __future__ import annotations

import numpy as np
import pytest

from custody.logbook import Database
from custody.seek.embedders import Passage
from custody.seek.embedders.lsa import DIMENSION, Lsa, WordTable, fit

pytestmark = pytest.mark.req("E-10")


def table(rows: list[list[int]]) -> WordTable:
    """Return the table of sources, given the words of each."""
    entries = [(number, word) for number, words in enumerate(rows) for word in words]
    sources, words = (np.array(column) for column in zip(*entries, strict=True))
    return WordTable(sources, words, np.ones(len(entries)), (len(rows), 1 + max(words)))


FRUIT, TOOLS = [0, 1, 2], [3, 4, 5]
ROWS = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]] * 4


def test_words_of_the_same_sources_lie_in_the_same_direction() -> None:
    found = fit(table(ROWS))
    assert found.vectors.shape == (24, DIMENSION)
    likeness = found.vectors @ found.vectors.T
    assert likeness[0, 1] > 0.4
    assert abs(likeness[0, 3]) < 1e-3
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-3)


def test_it_is_what_an_exact_decomposition_finds() -> None:
    generator = np.random.default_rng(1)
    rows = [sorted(generator.choice(40, size=12, replace=False)) for _ in range(60)]
    found = fit(table(rows))
    dense = np.zeros((60, 40))
    for number, words in enumerate(rows):
        dense[number, words] = 1
    tells = np.log(61 / (dense.sum(axis=0) + 1)) + 1
    dense *= tells
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    assert np.allclose(found.vectors @ found.vectors.T, dense @ dense.T, atol=1e-3)


def test_fitting_again_gives_the_same() -> None:
    one, two = fit(table(ROWS)), fit(table(ROWS))
    assert np.array_equal(one.basis, two.basis)


def test_a_source_without_words_is_like_nothing() -> None:
    found = fit(table([*ROWS[:6], [], [0, 1]]))
    assert not found.vectors[6].any()
    assert found.vectors[7].any()


def test_a_sample_teaches_what_all_are_seen_with() -> None:
    found = fit(table(ROWS), sample=[0, 1, 2, 3, 4, 5])
    whole = fit(table(ROWS))
    assert np.allclose(found.vectors @ found.vectors.T, whole.vectors @ whole.vectors.T, atol=0.01)


@pytest.mark.usefixtures("index")
def test_a_passage_is_the_sum_of_its_words(opened: Database) -> None:
    with opened.writing() as transaction:
        for word, place in (("apple", 0), ("pear", 1)):
            row = np.zeros(DIMENSION, dtype="<f2")
            row[place] = 2
            transaction.run("INSERT INTO seek.basis VALUES (?, ?)", word, row.tobytes())
    embedder = Lsa(opened)
    one, none = embedder.embed([Passage("", {"apple": 1, "pear": 1}), Passage("apple", {})])
    assert np.allclose(one[:3], [0.5**0.5, 0.5**0.5, 0], atol=1e-3)
    assert not np.any(none)
    assert np.allclose(embedder.embed_query(Passage("", {"pear": 3, "never": 1}))[:2], [0, 1])
