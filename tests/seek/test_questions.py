"""Questions out of a history, none of which gives its answer away."""

from __future__ import annotations

import pytest

from custody.seek.questions import Described, Question, question, split, without_tickets


def subjects(count: int) -> list[Described]:
    return [
        Described(f"change the colour of door {number}", f"1:{number}") for number in range(count)
    ]


def test_the_newest_quarter_is_for_test_and_what_is_before_it_for_dev() -> None:
    parts = split(subjects(100))
    assert [one.source_id for one in parts.dev] == [f"1:{number}" for number in range(60, 75)]
    assert [one.source_id for one in parts.test] == [f"1:{number}" for number in range(75, 100)]


def test_a_subject_that_two_changes_have_is_no_question() -> None:
    given = [*subjects(10), Described("Change the colour of DOOR 0!", "1:10")]
    assert "1:10" not in [one.source_id for one in split(given).test]


@pytest.mark.parametrize("text", ["fix it", "fix the tests", "Fixes #1234 again", ""])
def test_a_subject_of_few_words_is_no_question(text: str) -> None:
    assert "1:9" not in [
        one.source_id for one in split([*subjects(9), Described(text, "1:9")]).test
    ]


def test_a_subject_that_its_change_adds_is_no_question() -> None:
    subject = Described("Wait between two attempts (#123)", "1:1")
    diff = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n old\n+* wait  between TWO attempts, at last\n"
    assert question(subject, diff) is None
    over_lines = "+wait between\n+two attempts\n"
    assert question(subject, over_lines) is None
    assert question(subject, "-wait between two attempts\n+x\n") == Question(
        "Wait between two attempts ( )", "1:1"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Fixed #12345 -- crash of the parser", "-- crash of the parser"),
        ("Bug 1234: crash", "crash"),
        ("CVE-2024-1234: out of bounds", "out of bounds"),
        ("see https://example.org/issues/77 for more", "see for more"),
        ("read utf-16 and 20 lines", "read utf-16 and 20 lines"),
    ],
)
def test_tickets_are_taken_out(text: str, told: str) -> None:
    assert without_tickets(text).removeprefix("Fixed ") == told
