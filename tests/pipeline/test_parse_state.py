"""What a parser has found, and where it goes on after a finding."""

from __future__ import annotations

import pytest

from custody.pipeline.parse_state import FINDINGS_LIMIT, Reading
from custody.pipeline.tokens import END


def messages(reading: Reading) -> list[str]:
    return [f"{row.line}:{row.column} {row.message}" for row in reading.findings]


def test_a_finding_has_the_place_of_an_offset() -> None:
    reading = Reading("one\ntwo")
    reading.report(5, "here", "a hint", code="odd")
    (finding,) = reading.findings
    assert (finding.line, finding.column, finding.code, finding.hint) == (2, 2, "odd", "a hint")
    assert reading.complete


def test_after_so_many_findings_a_file_is_given_up() -> None:
    reading = Reading("a b c")
    for number in range(FINDINGS_LIMIT + 5):
        reading.report(0, str(number))
    assert len(reading.findings) == FINDINGS_LIMIT + 1
    assert reading.findings[-1].message == "too many findings; the rest is not looked at"
    assert not reading.complete
    reading.scan.advance()
    assert reading.scan.kind == END


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("]", "1:1 ']' stands where a name was expected", ""),
        ("", "1:1 the file ends where a name was expected", ""),
        ("a #b", "1:3 '#' stands where a name was expected", "needs a line of its own"),
        ("é", "1:1 'é' stands where a name was expected", "outside ASCII in quotes"),
    ],
)
def test_what_cannot_stand_here(text: str, message: str, hint: str) -> None:
    reading = Reading(text)
    if text.startswith("a"):
        reading.scan.advance()
    reading.unexpected("a name")
    assert messages(reading) == [message]
    assert hint in reading.findings[0].hint


def test_something_else_may_be_why_a_mark_is_not_closed() -> None:
    reading = Reading("[")
    reading.unclosed("[", 0)
    assert messages(reading) == ["1:1 this '[' is not closed"]
    broken = Reading('"never ends')
    broken.unclosed("[", 0)
    assert broken.findings == [], "the string is why, and told by itself"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("= 1; next", "next"),
        ("= 1\nnext", "next"),
        ("= [a; b] ; next", "next"),
        ("= { x ; y } ; next", "next"),
        ("= 1 }", "}"),
        ("= 1", ""),
    ],
)
def test_a_statement_is_skipped(text: str, value: str) -> None:
    reading = Reading(text)
    reading.skip_statement()
    assert (reading.scan.value if reading.scan.kind != END else "") == value
    assert not reading.complete


@pytest.mark.parametrize(
    "text", ["[a [b] c] next", "{{}{}} next", "[" * 5000 + "]" * 5000 + " next"]
)
def test_what_is_nested_is_skipped_however_deep(text: str) -> None:
    reading = Reading(text)
    reading.skip_nested()
    assert reading.scan.value == "next"
