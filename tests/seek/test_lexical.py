"""BM25 at two levels."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.seek.lexical import (
    OF_PIECES,
    OF_SOURCES,
    Averages,
    Lengths,
    Posting,
    Saturation,
    Term,
    rarest,
    score,
    weight,
)

pytestmark = pytest.mark.req("E-10")
USUAL = Averages(sources=10, words=100.0, piece_words=20.0)


def test_a_rare_word_tells_more() -> None:
    assert weight(100, 1) > weight(100, 10) > weight(100, 100) > 0
    assert weight(100, 1, times=2) == 2 * weight(100, 1)
    assert weight(10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))


@given(st.sampled_from([OF_SOURCES, OF_PIECES]), st.integers(1, 1000), st.integers(1, 100_000))
def test_a_share_lies_between_nothing_and_all(of: Saturation, times: int, words: int) -> None:
    assert 0 < of.share(times, words, 100.0) < 1
    assert of.share(times, words, 100.0) < of.share(times + 1, words, 100.0)
    assert of.share(times, words, 100.0) > of.share(times, words + 1, 100.0)


def test_a_piece_with_both_words_comes_before_a_short_one_with_one_of_them_twice() -> None:
    terms = [Term(1, 2, 1.0), Term(2, 2, 1.0)]
    postings = [Posting(1, 7, 3, [0, 2, 1, 1]), Posting(2, 7, 1, [1, 1])]
    pieces = score(terms, postings, {7: Lengths(28, [8, 20])}, USUAL).pieces[7]
    assert pieces[1] > pieces[0]


def test_frequent_words_are_not_looked_up_everywhere() -> None:
    terms = [Term(1, 5000, 0.1), Term(2, 10, 3.0), Term(3, 900, 1.0), Term(4, 200, 2.0)]
    assert [term.number for term in rarest(terms, budget=1200)] == [2, 4, 3]
    assert [term.number for term in rarest(terms, budget=6200)] == [2, 4, 3, 1]
    assert [term.number for term in rarest(terms[:1], budget=5)] == [1]
    assert rarest([], budget=5) == []


def test_a_piece_counts_by_its_own_length() -> None:
    terms = [Term(1, 2, 2.0), Term(2, 5, 1.0)]
    postings = [Posting(2, 7, 1, [1, 1]), Posting(1, 7, 3, [0, 2, 2, 1])]
    lengths = {7: Lengths(60, [20, 20, 20])}
    one, piece = OF_SOURCES.share, OF_PIECES.share
    found = score(terms, postings, lengths, USUAL)
    assert found.sources == {7: pytest.approx(2 * one(3, 60, 100.0) + one(1, 60, 100.0))}
    assert found.pieces == {
        7: {
            0: pytest.approx(2 * piece(2, 20, 20.0)),
            1: pytest.approx(piece(1, 20, 20.0)),
            2: pytest.approx(2 * piece(1, 20, 20.0)),
        }
    }
    assert score(terms, reversed(postings), lengths, USUAL) == found
