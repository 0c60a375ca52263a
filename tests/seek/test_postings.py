"""The tables of words."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from custody.logbook import Database
from custody.logbook.migrations import migrate
from custody.seek import postings
from custody.seek.lexical import Averages
from custody.seek.postings import Bag, bag_of
from custody.seek.tables import SEEK

pytestmark = pytest.mark.req("E-10")
PIECES = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=4)
USUAL = Averages(sources=3, words=4.0, piece_words=2.0)


@given(PIECES)
def test_a_bag_holds_every_word_of_every_piece(pieces: list[list[str]]) -> None:
    bag = bag_of(pieces)
    assert bag.lengths == [len(piece) for piece in pieces]
    assert bag.times == Counter(word for piece in pieces for word in piece)
    for word, places in bag.places.items():
        at, found = 0, {}
        for step, times in zip(places[::2], places[1::2], strict=True):
            at += step
            found[at] = times
        assert found == {
            idx: piece.count(word) for idx, piece in enumerate(pieces) if word in piece
        }


def _tables(database: Database) -> list[object]:
    with database.reading() as transaction:
        terms = transaction.run("SELECT term, sources FROM seek.terms ORDER BY term")
        rows = transaction.run(
            """SELECT t.term, p.source_no, p.times, p.words, p.places
            FROM seek.postings p JOIN seek.terms t ON t.term_no = p.term_no ORDER BY 1, 2"""
        )
    return [terms, rows]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bags=st.lists(PIECES, min_size=1, max_size=4), gone=st.integers(0, 3))
def test_what_is_removed_was_never_there(
    opened: Database, bags: list[list[list[str]]], gone: int
) -> None:
    migrate(opened, SEEK)
    numbered = {number: bag_of(pieces) for number, pieces in enumerate(bags, start=1)}
    gone = 1 + gone % len(bags)
    rest = {number: bag for number, bag in numbered.items() if number != gone}
    with opened.writing() as transaction:
        kept = postings.add(transaction, rest)
    expected = _tables(opened)
    with opened.writing() as transaction:
        terms = postings.add(transaction, {gone: numbered[gone]})
        postings.remove(transaction, terms)
    assert _tables(opened) == expected
    with opened.writing() as transaction:
        postings.remove(transaction, kept)
    assert _tables(opened) == [[], []]


def test_words_are_looked_up(opened: Database) -> None:
    migrate(opened, SEEK)
    bags: dict[int, Bag] = {
        1: bag_of([["red", "red"], ["blue"]]),
        2: bag_of([["blue", "green"]]),
        3: bag_of([["green"] * 9]),
    }
    with opened.writing() as transaction:
        postings.add(transaction, bags)
    with opened.reading() as transaction:
        terms = postings.look_up(transaction, {"green": 1, "blue": 1, "never": 1}, 3)
        assert [term.sources for term in terms] == [2, 2]
        assert postings.candidates(transaction, terms, USUAL, 10) == [2, 3, 1]
        assert postings.candidates(transaction, terms, USUAL, 1) == [2]
        condition = ("AND p.source_no <> ?", [2])
        assert postings.candidates(transaction, terms, USUAL, 10, condition) == [3, 1]
        assert postings.candidates(transaction, [], USUAL, 10) == []
        found = postings.postings(transaction, terms, [1, 3])
        assert sorted((one.source_no, one.times, tuple(one.places)) for one in found) == [
            (1, 1, (1, 1)),
            (3, 9, (0, 9)),
        ]
        assert postings.postings(transaction, terms, []) == []
