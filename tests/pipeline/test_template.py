"""Names in prompts: which are found, and what becomes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from custody.errors import UsageError
from custody.pipeline.template import expand, look_into, names_in

VALUES = {"goal": "ship", "name": "Ada", "a.b-c": "dotted"}


@pytest.mark.parametrize(
    ("text", "expanded", "names"),
    [
        ("plain", "plain", set()),
        ("do $goal now", "do ship now", {"goal"}),
        ("${goal}!", "ship!", {"goal"}),
        ("${name}${a.b-c}", "Adadotted", {"name", "a.b-c"}),
        ("$goals $goal_x", "$goals $goal_x", set()),
        ("$goal.", "ship.", {"goal"}),
        ("$name", "$name", set()),
        ("cost: 5$ or $5", "cost: 5$ or $5", set()),
        ("$$goal $${name}", "$goal ${name}", set()),
        ("$$$goal", "$ship", {"goal"}),
        ("${ x }", "${ x }", set()),
        ("$", "$", set()),
    ],
)
def test_expands_names_and_nothing_else(text: str, expanded: str, names: set[str]) -> None:
    assert names_in(text) == names
    assert expand(text, VALUES) == expanded


def test_a_value_is_not_expanded_again() -> None:
    assert expand("${a}", {"a": "$goal ${b} $$"}) == "$goal ${b} $$"


def test_a_missing_value_is_an_error_not_silence() -> None:
    with pytest.raises(UsageError, match="nope"):
        expand("${nope}", VALUES)


@pytest.mark.parametrize(
    ("text", "malformed"),
    [
        ("${", True),
        ("${}", True),
        ("${a b}", True),
        ("${1}", True),
        ("$${", False),
        ("${a}", False),
    ],
)
def test_tells_a_brace_without_a_name(text: str, malformed: bool) -> None:
    assert look_into(text)[1] is malformed


@given(st.text(alphabet="$ {}goalx\n") | st.text())
def test_expands_whatever_it_found_names_for(text: str) -> None:
    values = dict.fromkeys(names_in(text), "v")
    assert len(expand(text, values)) <= len(text)


@given(st.text())
def test_doubled_dollars_keep_any_text_as_it_is(text: str) -> None:
    assert expand(text.replace("$", "$$"), {}) == text
