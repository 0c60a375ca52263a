"""Which way a run goes."""

from __future__ import annotations

import itertools

import pytest

from custody.engine.route import choose, told_by_code
from custody.handlers import catalog
from custody.model.graph import Pipeline
from custody.model.outcome import Outcome, OutcomeStatus
from custody.model.output import Output
from custody.model.scope import Scope
from custody.model.verdict import Verdict
from custody.pipeline.condition import Told
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


REFUSED = (Verdict(check="writes", allowed=False, code="denied", reason="may not be written"),)


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("outcome", "code", "told"),
    [
        (Outcome(status="success"), 0, "all"),
        (Outcome(status="partial_success"), None, "all"),
        (Outcome(status="fail"), 3, "all"),
        (Outcome(status="retry"), 3, "all"),
        (Outcome(status="fail"), None, "failed"),
        (Outcome(status="fail"), 0, "nothing"),
        (Outcome(status="retry"), 0, "nothing"),
        (Outcome(status="fail", refused=REFUSED), 3, "nothing"),
        (Outcome(status="fail", refused=REFUSED), None, "nothing"),
    ],
)
def test_an_exit_code_tells_of_the_failure_of_a_command_only(
    outcome: Outcome, code: int | None, told: Told
) -> None:
    assert told_by_code(outcome, Output(exit_code=code, stdout=None, stderr=None)) == told
    if code is None:
        assert told_by_code(outcome, None) == told


@pytest.mark.req("G-01")
@pytest.mark.parametrize(
    ("condition", "handled"),
    [
        ("t.exit_code!=7", ["all"]),
        ("t.exit_code!=0", ["all", "failed"]),
        ("outcome=fail && t.exit_code!=7", ["all", "failed", "nothing"]),
    ],
)
def test_an_edge_on_a_code_handles_what_it_tells(condition: str, handled: list[Told]) -> None:
    read = load_pipeline(
        f"""digraph p {{
            start [shape=Mdiamond]
            t     [type=tool, tool_command="true"]
            done  [shape=Msquare]
            start -> t
            t -> done [condition="{condition}"]
        }}""".encode(),
        catalog(),
        "p.dot",
    )
    every: tuple[Told, ...] = ("all", "failed", "nothing")
    routes = {told: choose(read, "t", "fail", Scope(), told=told) for told in every}
    assert [told for told, route in routes.items() if route.by_condition] == handled


def test_no_edge_that_fits_is_no_route() -> None:
    only = pipeline(['a -> b [condition="outcome=success"]', "b -> c", "c -> d", "d -> e"])
    assert choose(only, "a", "fail", Scope()).target == ""
