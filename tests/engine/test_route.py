"""Which way a run goes."""

from __future__ import annotations

import itertools

import pytest

from custody.engine.route import choose
from custody.handlers import catalog
from custody.model.graph import Pipeline
from custody.model.outcome import OutcomeStatus
from custody.model.scope import Scope
from custody.pipeline.read import load_pipeline

EDGES = {
    "plain_low": "a -> b [weight=1]",
    "plain_high": "a -> c [weight=5]",
    "on_fail": 'a -> d [condition="outcome=fail"]',
    "on_not_success": 'a -> e [condition="outcome!=success", weight=3]',
}


def pipeline(edges: list[str]) -> Pipeline:
    nodes = "".join(f'{name} [prompt="x"]\n' for name in "abcde")
    links = "\n".join(edges)
    exits = "\n".join(f"{name} -> done" for name in "bcde")
    source = (
        "digraph p {\nstart [shape=Mdiamond]\ndone [shape=Msquare]\n"
        f"{nodes}start -> a\n{links}\n{exits}\n}}"
    )
    return load_pipeline(source.encode(), catalog(), where="p.dot")


@pytest.mark.req("P-03")
@pytest.mark.parametrize(
    ("outcome", "target"),
    [("success", "c"), ("fail", "e"), ("retry", "e"), ("partial_success", "e")],
)
def test_conditions_come_first_then_weight(outcome: OutcomeStatus, target: str) -> None:
    route = choose(pipeline(list(EDGES.values())), "a", outcome, Scope())
    assert route.target == target


@pytest.mark.req("P-03")
def test_ties_go_to_the_smallest_target() -> None:
    tied = ["a -> e", "a -> b", "a -> d", "a -> c"]
    for order in itertools.permutations(tied):
        assert choose(pipeline(list(order)), "a", "success", Scope()).target == "b"


@pytest.mark.req("P-03")
def test_file_order_never_matters() -> None:
    routes = {
        outcome: {
            choose(pipeline(list(order)), "a", outcome, Scope())
            for order in itertools.permutations(EDGES.values())
        }
        for outcome in ("success", "fail")
    }
    assert all(len(found) == 1 for found in routes.values())


@pytest.mark.req("P-03")
def test_candidates_are_recorded_with_what_was_known_of_them() -> None:
    route = choose(pipeline(list(EDGES.values())), "a", "fail", Scope())
    assert [(c.target, c.condition, c.weight, c.matched) for c in route.candidates] == [
        ("b", "", 1, False),
        ("c", "", 5, False),
        ("d", "outcome=fail", 0, True),
        ("e", "outcome!=success", 3, True),
    ]
    assert route.by_condition


def test_no_edge_that_fits_is_no_route() -> None:
    only = pipeline(['a -> b [condition="outcome=success"]', "b -> c", "c -> d", "d -> e"])
    assert choose(only, "a", "fail", Scope()).target == ""
