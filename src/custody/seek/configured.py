"""The index of the user's logbook, with the model that he has set up."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from custody.logbook import Database
from custody.model.own_settings import OwnSeek
from custody.seek.index import Index, Model

NO_NUMPY = "words only: vectors need NumPy, which is not installed"
HINT = "pip install 'custody-runtime[vectors]'"
SWITCHED_OFF = "words only: your configuration says that there are no vectors"


def index_of(
    database: Database, own: OwnSeek | None = None, environment: Mapping[str, str] | None = None
) -> Index:
    """Return the index in a logbook's database; raises as `chosen` does."""
    return Index(database, model_of(database, own or OwnSeek(), environment or {}))


def model_of(database: Database, own: OwnSeek, environment: Mapping[str, str]) -> Model:
    """Return the model that somebody has set up, with where its vectors are."""
    from custody.seek.embedders.choose import chosen
    from custody.seek.pg_vectors import PgVectors, vectors_of

    if own.embedder == "none":
        return Model(missing=SWITCHED_OFF)
    embedder = chosen(own, environment)
    if embedder is None:
        return fitted_model(database)
    vectors, note = vectors_of(database, embedder.dimension)
    if not isinstance(vectors, PgVectors) and find_spec("numpy") is None:
        return Model(name=embedder.model, missing=f"{NO_NUMPY}: {HINT}")
    return Model(embedder.model, embedder, vectors, note=note)


def fitted_model(database: Database) -> Model:
    """Return the model that is fitted on an index; where NumPy is missing, it is said so.

    Its name is the same then: whoever has NumPy can use the index, and fit what is missing.
    """
    from custody.seek.embedders.lsa import DIMENSION, MODEL, Lsa
    from custody.seek.pg_vectors import vectors_of

    if find_spec("numpy") is None:
        return Model(name=MODEL, missing=f"{NO_NUMPY}: {HINT}", fitted=True)
    vectors, note = vectors_of(database, DIMENSION)
    return Model(MODEL, Lsa(database), vectors, fitted=True, note=note)
