"""The index of the user's logbook."""

from __future__ import annotations

from custody.logbook import Database
from custody.seek.configured import fitted_model, index_of


def test_it_has_the_model_that_is_fitted_on_it(opened: Database) -> None:
    model = fitted_model(opened)
    assert (model.name, model.fitted, model.missing) == ("lsa-1-256", True, "")
    assert index_of(opened).stamp.model == "lsa-1-256"
