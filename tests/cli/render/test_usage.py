"""Time, tokens and cost for a person."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from custody.cli.render.usage import cost_cell, short, tokens_cell, totals
from custody.model.usage import UsageTotal

FULL = UsageTotal(answers=1, tokens=13_023, input_tokens=12_345, output_tokens=678, cost_usd=0.0312)


@pytest.mark.req("U-11")
def test_unknown_is_not_nothing() -> None:
    assert tokens_cell(UNSET) == cost_cell(UNSET) == tokens_cell(UsageTotal()) == "-"
    unknown = UsageTotal(answers=1, untold=1, unpriced=1)
    assert tokens_cell(unknown) == cost_cell(unknown) == "?"
    assert (tokens_cell(FULL), cost_cell(FULL)) == ("12.3k/678", "$0.0312")
    assert tokens_cell(FULL, apart=False) == "13.0k"
    both = FULL.plus(unknown)
    assert (tokens_cell(both), cost_cell(both)) == ("12.3k/678+", "$0.0312+")


def test_in_lines() -> None:
    assert [line.text for line in totals(61, UsageTotal())] == ["time:     1m01s of work"]
    assert [line.text for line in totals(61, FULL)] == [
        "time:     1m01s of work",
        "tokens:   13,023 (12,345 in; 678 out)",
        "cost:     $0.0312",
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (999, "999"), (1_000, "1.0k"), (12_345, "12.3k"), (99_949, "99.9k"),
        (123_456, "123k"), (999_499, "999k"), (999_500, "1.0M"), (2_500_000, "2.5M"),
    ],
)  # fmt: skip
def test_short_counts(number: int, text: str) -> None:
    assert short(number) == text
