"""Conditions of edges: what they accept, refuse and mean."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import MalformedDocument
from custody.model.outcome import OUTCOMES
from custody.pipeline.condition import Condition, parse_condition

CONTEXT: dict[str, Any] = {"color": "red", "done": True, "count": 3, "empty": None, "a.b": "x"}


@pytest.mark.req("P-03")
@pytest.mark.parametrize(
    ("text", "outcome", "holds"),
    [
        ("outcome=success", "success", True),
        ("outcome=success", "fail", False),
        ("outcome!=success", "fail", True),
        ("  outcome = fail  ", "fail", True),
        ("outcome=fail&&context.color=red", "fail", True),
        ("outcome=fail && context.color=blue", "fail", False),
        ("context.done=true", "fail", True),
        ("context.done=True", "fail", False),
        ("context.count=3", "fail", True),
        ("context.empty=null", "fail", True),
        ("context.a.b=x", "fail", True),
        ("context.missing=x", "fail", False),
        ("context.missing!=x", "fail", True),
    ],
)
def test_holds(text: str, outcome: str, holds: bool) -> None:
    assert parse_condition(text).holds(outcome, CONTEXT) is holds


@pytest.mark.req("P-03")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a clause is missing"),
        ("outcome=fail &&", "a clause is missing"),
        ("&& outcome=fail", "a clause is missing"),
        ("outcome=", "has no value"),
        ("outcome!=", "has no value"),
        ("outcome", "has no value"),
        ("outcome==fail", "compares with '=='"),
        ("outcome=maybe", "no outcome is called 'maybe'"),
        ("outcome=fail || outcome=retry", "knows no '||'"),
        ("status=fail", "does not begin with a key"),
        ("=fail", "does not begin with a key"),
        ("context.=x", "does not begin with a key"),
        ("outcomes=fail", "does not begin with a key"),
        ("outcome fail", "is no comparison"),
        ("context.x=two words", "is no comparison"),
        ("context.x='quoted'", "is no comparison"),
        ("outcome<fail", "is no comparison"),
        ("outcome=fail & context.x=1", "is no comparison"),
    ],
)
def test_refuses_with_a_reason_and_a_hint(text: str, reason: str) -> None:
    with pytest.raises(MalformedDocument, match=r"\S") as refused:
        parse_condition(text)
    assert refused.value.code == "condition"
    assert reason in refused.value.what
    assert refused.value.hint


def test_names_the_outcome_that_was_meant() -> None:
    with pytest.raises(MalformedDocument) as refused:
        parse_condition("outcome=sucess")
    assert refused.value.hint == "did you mean 'success'?"


@pytest.mark.parametrize(
    ("text", "on_outcome"),
    [
        ("outcome=fail", True),
        ("outcome!=fail", True),
        ("context.x=1 && outcome=fail", True),
        ("context.x=1", False),
    ],
)
def test_knows_whether_the_outcome_is_asked_for(text: str, on_outcome: bool) -> None:
    assert parse_condition(text).on_outcome_of("a") is on_outcome


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("outcome=fail", True),
        ("outcome=fail && outcome=fail", True),
        ("outcome!=fail && outcome!=retry", True),
        ("context.x=a && context.y=b", True),
        ("context.x!=a && context.x!=b", True),
        ("outcome=fail && outcome=success", False),
        ("outcome=fail && outcome!=fail", False),
        ("context.x=a && context.x=b", False),
        ("context.x!=a && context.x=a", False),
        (" && ".join(f"outcome!={outcome}" for outcome in OUTCOMES), False),
    ],
)
def test_knows_what_can_never_hold(text: str, possible: bool) -> None:
    assert parse_condition(text).possible is possible


clauses = st.builds(
    "{}{}{}".format,
    st.sampled_from(["context.a", "context.b"]),
    st.sampled_from(["=", "!="]),
    st.sampled_from(["x", "y", "z"]),
) | st.builds("outcome{}{}".format, st.sampled_from(["=", "!="]), st.sampled_from(OUTCOMES))


@given(st.lists(clauses, min_size=1, max_size=6))
def test_possible_means_that_some_outcome_and_context_make_it_hold(parts: list[str]) -> None:
    condition = parse_condition(" && ".join(parts))
    values = (None, "x", "y", "z", "other")
    contexts = [
        {name: value for name, value in (("a", a), ("b", b)) if value is not None}
        for a in values
        for b in values
    ]
    found = any(condition.holds(outcome, context) for outcome in OUTCOMES for context in contexts)
    assert condition.possible is found


@given(st.text() | st.text("outcme=!&| .x"))
def test_never_raises_anything_else(text: str) -> None:
    try:
        condition = parse_condition(text)
    except MalformedDocument:
        return
    assert isinstance(condition, Condition)


@pytest.mark.parametrize(
    ("context", "holds"),
    [
        ({"audit": {"verdict": "approved"}}, True),
        ({"audit.verdict": "approved"}, True),
        ({"audit": {"verdict": "not approved"}}, False),
        ({"audit": {"verdict": ["approved"]}}, False),
        ({"audit": {}}, False),
        ({"audit": "approved"}, False),
        ({"audit": None}, False),
        ({}, False),
    ],
)
def test_a_condition_looks_into_an_object(context: dict[str, object], holds: bool) -> None:
    assert parse_condition("context.audit.verdict=approved").holds("success", context) is holds
    assert parse_condition("context.audit.verdict!=approved").holds("success", context) is not holds


@pytest.mark.req("U-16")
@pytest.mark.parametrize(
    ("text", "code", "holds"),
    [
        ("a.exit_code=3", 3, True),
        ("a.exit_code=3", 4, False),
        ("a.exit_code!=3", 4, True),
        ("a.exit_code=0", None, False),
        ("a.exit_code!=0", None, True),
        ("a.b-c.exit_code=3 && outcome=fail", 3, True),
    ],
)
def test_an_exit_code_is_compared_as_a_number(text: str, code: int | None, holds: bool) -> None:
    assert parse_condition(text).holds("fail", {}, lambda _node: code) is holds


def test_a_condition_on_its_own_exit_code_asks_how_a_node_ended() -> None:
    condition = parse_condition("a.b.exit_code=1")
    assert condition.on_outcome_of("a.b")
    assert not condition.on_outcome_of("a")
    assert not parse_condition("context.exit_code=1").on_outcome_of("context")
