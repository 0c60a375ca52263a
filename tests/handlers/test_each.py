"""The list that an each node works through, and what an item's names stand for."""

from __future__ import annotations

from typing import Any

import pytest

from custody import api
from custody.errors import Refused
from custody.handlers import Situation
from custody.handlers.each import item_names, items_of
from custody.model.state import State
from custody.pipeline.subpipeline_files import ITEMS_LIMIT
from support.bench import Bench
from support.lists import part


def items(bench: Bench, written: str, **context: Any) -> list[Any]:
    part(bench)
    body = f'e [type=each, pipeline="task.dot", items="{written}"] start -> e -> done'
    node = api.load(bench.pipeline(body, graph='var.n="3"')).nodes["e"]
    state = State()
    state.context.update(context)
    return items_of(node, situation(state))


def situation(state: State) -> Situation:
    return Situation(
        state=state,
        scope=state,
        values={"n": "3"},
        read=lambda _evidence: b"",
        recorded=lambda _evidence: b"",
        agent="fake",
        request_id="n/1.1",
        folder="nodes/n/1.1",
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1..3", [1, 2, 3]),
        ("0..0", [0]),
        (" 2 .. 4 ", [2, 3, 4]),
        ("5..1", []),
        ("1..${n}", [1, 2, 3]),
        ("context.list", ["a", {"b": 1}]),
        ("context.deep.list", [7]),
        ("context.none", []),
    ],
)
def test_items(bench: Bench, written: str, expected: list[Any]) -> None:
    given = {"list": ["a", {"b": 1}], "deep": {"list": [7]}, "none": []}
    assert items(bench, written, **given) == expected


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("context.missing", "nothing in the context"),
        ("context.text", "is no list"),
        ("${n}", "items is a range or context.KEY"),
        (f"1..${{n}}{'0' * 7}", "too many"),
    ],
)
def test_what_is_no_list_is_refused(bench: Bench, written: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        items(bench, written, text="x", list=[1])


def test_a_list_that_is_too_long(bench: Bench) -> None:
    with pytest.raises(Refused, match=f"{ITEMS_LIMIT} is most"):
        items(bench, "context.list", list=[0] * (ITEMS_LIMIT + 1))


def test_the_names_of_an_item() -> None:
    assert item_names("x", 2, 3) == {"item": "x", "index": "2", "count": "3"}
    names = item_names({"id": 7, "deep": {"a": 1}}, 1, 1)
    assert (names["item.id"], names["item.deep"]) == ("7", '{"a":1}')


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('items="many"', "items is a range or context.KEY"),
        ('items="context."', "items is a range or context.KEY"),
        ('items="1..99999999"', f"items: more than {ITEMS_LIMIT}"),
        ('items="1..2", max_parallel=0', "max_parallel must lie between 1 and 64"),
        ('items="1..2", max_parallel=65', "max_parallel must lie between 1 and 64"),
    ],
)
def test_what_cannot_be_meant_is_found(bench: Bench, attributes: str, message: str) -> None:
    part(bench)
    body = f'e [type=each, pipeline="task.dot", {attributes}] start -> e -> done'
    _, findings = api.check(bench.pipeline(body))
    assert [finding.message for finding in findings] == [message]
