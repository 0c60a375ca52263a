"""Attribute lists: read at once where they are plain, token by token where they are not."""

from __future__ import annotations

import pytest

from custody.pipeline.lists import read_assignment, read_lists
from custody.pipeline.parse_state import Reading
from custody.pipeline.values import bare_value


def read(text: str) -> tuple[dict[str, object], list[str]]:
    """Return the values of the lists that a text begins with, and what was found."""
    reading = Reading(text)
    attributes = read_lists(reading)
    told = [f"{row.line}:{row.column} {row.message}" for row in reading.findings]
    return {name: each.value for name, each in attributes.items()}, told


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[]", {}),
        ("[a=1]", {"a": 1}),
        ("[a=1, b=-2; c=0.5]", {"a": 1, "b": -2, "c": 0.5}),
        ("[a=true, b=false, c=word]", {"a": True, "b": False, "c": "word"}),
        ("[a=15m]", {"a": bare_value("15m")}),
        ('[a="two words", b="a \\"quote\\""]', {"a": "two words", "b": 'a "quote"'}),
        ('["quoted.name"=1]', {"quoted.name": 1}),
        ("[a=1,]", {"a": 1}),
        ("[a=1][b=2]", {"a": 1, "b": 2}),
        ("[ /* c */ a /* d */ = /* e */ 1 // f\n]", {"a": 1}),
        ("[var.x-y=1]", {"var.x-y": 1}),
    ],
)
def test_values(text: str, values: dict[str, object]) -> None:
    assert read(text) == (values, [])


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("[a=1, a=2]", {"a": 1}, "1:7 attribute 'a' already has a value, at 1:4"),
        ("[a=1][a=2]", {"a": 1}, "1:7 attribute 'a' already has a value, at 1:4"),
        ("[a]", {}, "1:2 attribute 'a' has no value"),
        ("[a=]", {}, "1:4 ']' stands where a value was expected"),
        ("[a=007]", {}, "1:4 '007' is neither a word, a number nor a duration"),
        ("[a=<b>x</b>, c=1]", {"c": 1}, "1:4 an HTML label is not part of the language"),
        ('[a="x" + "y"]', {"a": "x"}, "1:8 joined strings are not part of the language"),
        ("[a=1 b, c=2]", {"a": 1, "c": 2}, "1:6 'b' stands where ',' or ']' was expected"),
        ("[1a=2]", {}, "1:2 '1a' is no attribute name"),
        ("[a=1", {"a": 1}, "1:1 this '[' is not closed"),
        ("[=1, b=2]", {"b": 2}, "1:2 '=' stands where an attribute's name was expected"),
        ("[a 1, b=2]", {"b": 2}, "1:4 '1' stands where '=' behind the name 'a' was expected"),
    ],
)
def test_what_is_wrong_is_told_and_the_rest_is_read(
    text: str, values: dict[str, object], message: str
) -> None:
    found, told = read(text)
    assert told[:1] == [message]
    assert {name: value for name, value in found.items() if name in values} == values


def test_a_list_that_was_never_closed_ends_with_the_next_statement() -> None:
    reading = Reading('[a=1\nb [c="x"]')
    assert set(read_lists(reading)) == {"a"}
    assert reading.scan.value == "b"
    assert reading.findings[0].message == "this '[' is not closed"


def test_both_ways_of_reading_agree() -> None:
    """A comment sends a list past the short cut."""
    plain = '[a=1, b="x", c=true]'
    assert read(plain) == read(plain.replace("[", "[/**/"))


def test_an_assignment() -> None:
    reading = Reading('goal = "done"; next')
    reading.scan.advance()
    attributes = read_assignment(reading, "goal", 0)
    assert attributes["goal"].value == "done"
    assert reading.scan.kind == ";"


def test_an_assignment_without_a_value_is_skipped_to_its_end() -> None:
    reading = Reading("goal = ; next = 1")
    reading.scan.advance()
    assert read_assignment(reading, "goal", 0) == {}
    assert reading.scan.value == "next"
    assert not reading.complete
