"""How findings are worded."""

from __future__ import annotations

import pytest

from custody.model.graph import SourcePosition
from custody.pipeline.messages import Nearest, found, shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "'a'"),
        ("größe", "'größe'"),
        ("a\nb\t\x00", r"'a\nb\t\x00'"),
        ("\u202eevil", r"'\u202eevil'"),
        ("x" * 61, "'" + "x" * 60 + "…'"),
        ("", "''"),
    ],
)
def test_a_text_of_the_users_stands_on_one_line(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_finding_has_a_place_or_is_about_the_file() -> None:
    placed = found("code", "message", SourcePosition(line=3, column=4), "hint", severity="warning")
    assert (placed.line, placed.column, placed.hint, placed.severity) == (3, 4, "hint", "warning")
    everywhere = found("code", "message", None)
    assert (everywhere.line, everywhere.column, everywhere.severity) == (0, 0, "error")


def test_the_nearest_name_is_guessed() -> None:
    nearest = Nearest()
    known = ["max_retries", "max_visits", "timeout"]
    assert nearest.hint("max_retrys", known) == "did you mean 'max_retries'?"
    assert nearest.hint("colour", known) == ""
    assert nearest.hint("x" * 65, ["x" * 64]) == ""


def test_a_file_full_of_wrong_names_does_not_take_long() -> None:
    nearest = Nearest()
    known = [f"name{number}" for number in range(10_000)]
    assert [bool(nearest.hint("name1x", known)) for _ in range(3)] == [True, True, False]
