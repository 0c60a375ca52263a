"""Vectors as bytes, compared by NumPy."""

from __future__ import annotations

import pytest

from custody.logbook import Database
from custody.seek import settings
from custody.seek.exact_vectors import ExactVectors

pytestmark = pytest.mark.req("E-10")
A, B, C, D = (letter * 64 for letter in "abcd")


@pytest.mark.usefixtures("index")
def test_the_nearest_come_first(opened: Database) -> None:
    vectors = ExactVectors(2)
    with opened.writing() as transaction:
        assert vectors.nearest(transaction, [1.0, 0.0], 5) == []
        vectors.put(transaction, [(A, [1.0, 0.0]), (B, [0.0, 1.0]), (C, [0.6, 0.8])])
        settings.changed(transaction)
    with opened.reading() as transaction:
        found = vectors.nearest(transaction, [1.0, 0.0], 2)
        assert [digest for digest, _ in found] == [A, C]
        assert found[1][1] == pytest.approx(0.6, abs=1e-3)
        assert len(vectors.nearest(transaction, [1.0, 0.0], 9)) == 3
        assert vectors.likeness(transaction, [0.0, 1.0], [B, D]) == {B: 1.0}
        assert vectors.known(transaction, [A, D]) == {A}


@pytest.mark.usefixtures("index")
def test_what_has_changed_is_read_again(opened: Database) -> None:
    vectors = ExactVectors(2)
    with opened.writing() as transaction:
        vectors.put(transaction, [(A, [1.0, 0.0])])
        vectors.put(transaction, [(A, [0.0, 1.0]), (B, [1.0, 0.0])])
        settings.changed(transaction)
        assert vectors.nearest(transaction, [1.0, 0.0], 1) == [(B, 1.0)]
        vectors.drop(transaction, [B, D])
        settings.changed(transaction)
        assert vectors.nearest(transaction, [1.0, 0.0], 1) == [(A, 0.0)]
