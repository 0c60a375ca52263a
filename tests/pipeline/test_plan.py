"""What would run, in which order, and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from custody.model.graph import Duration, Pipeline
from custody.pipeline.plan import explain

Good = Callable[[str], Pipeline]


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ("start -> done", "start done"),
        ("c; b; a; start -> a -> b -> c -> done", "start a b c done"),
        ("a; b; start -> b -> done; start -> a -> done", "start a b done"),
        ("a; b; start -> b -> done [weight=2]; start -> a -> done", "start b a done"),
        ("a; b; start -> a -> b -> done; b -> a", "start a b done"),
        ("a; b; start -> a; start -> b; a -> b; b -> done", "start a b done"),
        ("a; start -> a -> a -> done", "start a done"),
    ],
)
def test_a_node_comes_behind_those_that_lead_to_it(body: str, order: str, good: Good) -> None:
    assert " ".join(node.id for node in explain(good(body))) == order


@pytest.mark.req("P-03")
def test_routes_are_in_the_order_in_which_a_run_prefers_them(good: Good) -> None:
    pipeline = good(
        "a; b; c; start -> a -> done; b -> done; c -> done\n"
        'a -> c [weight=9]; a -> b [condition="outcome=fail"]\n'
        'a -> c [condition="outcome=fail", weight=1]; a -> a [condition="context.x=1"]'
    )
    node = explain(pipeline)[1]
    assert [str(route) for route in node.routes] == [
        "c if outcome=fail, weight 1",
        "a if context.x=1, going back",
        "b if outcome=fail",
        "c otherwise, weight 9",
        "done otherwise",
    ]
    assert node.reached_from == ("a", "start")


@pytest.mark.parametrize(
    ("edges", "stuck"),
    [
        ("a -> done", ()),
        ('a -> done [condition="outcome=success"]', ("fail", "partial_success")),
        ('a -> done [condition="outcome!=fail"]', ("fail",)),
        ('a -> done [condition="context.x=1"]', ()),
        ('a -> done [condition="outcome=fail && context.x=1"]', ("success", "partial_success")),
        ('a -> done [condition="outcome=fail"]; a -> done [condition="outcome!=fail"]', ()),
    ],
)
def test_outcomes_without_a_way_on_are_named(
    edges: str, stuck: tuple[str, ...], good: Good
) -> None:
    node = explain(good(f"a; start -> a; {edges}"))[1]
    assert node.stuck_on == stuck


def test_limits_and_guards_are_those_of_the_node(good: Good) -> None:
    pipeline = good(
        'a [label=b, max_retries=2, max_visits=7, timeout="15m", allowed_write_paths="src/, b"]\n'
        "start -> a -> done"
    )
    start, node, done = explain(pipeline)
    assert (node.type, node.label) == ("codergen", "b")
    assert (node.attempts, node.max_visits) == (3, 7)
    assert node.timeout == Duration(seconds=900)
    assert node.may_write == ("src/", "b")
    assert (start.attempts, start.max_visits, start.timeout, start.may_write) == (
        1,
        None,
        None,
        None,
    )
    assert done.routes == ()
    assert done.stuck_on == ()


def test_a_long_chain_needs_no_recursion(good: Good) -> None:
    names = [f"n{index}" for index in range(5000)]
    pipeline = good("; ".join(names) + "; " + " -> ".join(["start", *names, "done"]))
    assert [node.id for node in explain(pipeline)] == ["start", *names, "done"]
