"""Command lines that are templates."""

from __future__ import annotations

import pytest

from custody.errors import UsageError
from custody.executors.programs.command_agent import fill


def test_a_value_is_one_word() -> None:
    assert fill("a {X} b", {"X": "1 2; rm"}) == ("a", "1 2; rm", "b")


@pytest.mark.parametrize("template", ["a {NOPE}", "a 'b"])
def test_what_cannot_be_read_is_told(template: str) -> None:
    with pytest.raises(UsageError):
        fill(template, {"X": "1"})
