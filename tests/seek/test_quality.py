"""Figures of ranks."""

from __future__ import annotations

import pytest

from custody.seek.quality import Quality, compared, gains, quality, rank_of


def test_an_answer_is_worth_less_the_later_it_comes() -> None:
    assert gains([1, 2, 10, 11, 0]) == [1.0, 0.5, 0.1, 0.0, 0.0]
    assert quality([1, 2, 10, 11, 0]) == Quality(queries=5, mrr=0.32, recall=0.6)
    assert quality([]) == Quality(queries=0, mrr=0.0, recall=0.0)


def test_each_source_counts_once() -> None:
    assert rank_of("c", ["a", "b", "a", "c"]) == 3
    assert rank_of("z", ["a"]) == 0


def test_a_difference_lies_between_its_bounds() -> None:
    better = compared([1] * 40, [2] * 40)
    assert (better.difference, better.low, better.high) == (0.5, 0.5, 0.5)
    mixed = compared([1, 0] * 50, [0, 1] * 50)
    assert mixed.difference == 0.0
    assert -0.25 < mixed.low < 0 < mixed.high < 0.25
    assert compared([1, 0] * 50, [0, 1] * 50) == mixed, "the same ranks give the same span"
    assert str(better) == "+0.500 [+0.500, +0.500]"
    assert compared([], []).difference == 0.0


def test_only_the_same_questions_are_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        compared([1, 2], [1])
