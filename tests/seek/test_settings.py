"""Small values of an index."""

from __future__ import annotations

import pytest

from custody.logbook import Database
from custody.seek import settings
from custody.seek.records import Weights


@pytest.mark.usefixtures("index")
def test_values_are_kept_and_replaced(opened: Database) -> None:
    with opened.writing() as transaction:
        assert settings.get(transaction, "weights", Weights) is None
        settings.put(transaction, "weights", Weights(vectors=0.0, why="it hurt"))
        settings.put(transaction, "weights", Weights(vectors=0.5))
        assert settings.get(transaction, "weights", Weights) == Weights(vectors=0.5)


@pytest.mark.usefixtures("index")
def test_changes_are_counted(opened: Database) -> None:
    with opened.writing() as transaction:
        assert settings.changes(transaction) == 0
        settings.changed(transaction)
        settings.changed(transaction)
        assert settings.changes(transaction) == 2
