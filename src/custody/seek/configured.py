"""The index of the user's logbook, with the model that he has set up."""

from __future__ import annotations

from importlib.util import find_spec

from custody.logbook import Database
from custody.seek.index import Index, Model

NO_NUMPY = "words only: vectors need NumPy, which is not installed"
HINT = "pip install 'custody-runtime[vectors]'"


def index_of(database: Database) -> Index:
    """Return the index in a logbook's database."""
    return Index(database, fitted_model(database))


def fitted_model(database: Database) -> Model:
    """Return the model that is fitted on an index; where NumPy is missing, it is said so.

    Its name is the same then: whoever has NumPy can use the index, and fit what is missing.
    """
    from custody.seek.embedders.lsa import DIMENSION, MODEL, Lsa

    if find_spec("numpy") is None:
        return Model(name=MODEL, missing=f"{NO_NUMPY}: {HINT}", fitted=True)
    from custody.seek.exact_vectors import ExactVectors

    return Model(MODEL, Lsa(database), ExactVectors(DIMENSION), fitted=True)
