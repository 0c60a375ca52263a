"""Tokens and cost add up, and what nobody told stays unknown."""

from __future__ import annotations

import pytest

from custody.model.request import Ack, Spent, Usage
from custody.model.usage import (
    UsageTotal,
    dollars,
    told_cost,
    told_tokens,
    usage_lost,
    usage_of,
)


def ack(usage: Usage | None) -> Ack:
    return Ack(request_id="a/1.1", status="ok", usage=usage)


FULL = Usage(model="m", input_tokens=1_000, output_tokens=234, cost_usd=0.5, cached_tokens=800)


@pytest.mark.req("U-11")
def test_an_answer_tells_what_it_tells() -> None:
    assert usage_of(ack(FULL)) == UsageTotal(
        answers=1,
        tokens=1_234,
        input_tokens=1_000,
        output_tokens=234,
        cached_tokens=800,
        cost_usd=0.5,
    )
    unknown = UsageTotal(answers=1, untold=1, unpriced=1)
    assert usage_of(ack(None)) == usage_of(ack(Usage(model="m"))) == unknown
    assert not unknown.told


def test_a_cost_of_nothing_was_told_and_none_was_not() -> None:
    free = usage_of(ack(Usage(input_tokens=1, cost_usd=0.0)))
    assert (free.cost_usd, free.unpriced) == (0.0, 0)
    silent = usage_of(ack(Usage(input_tokens=1)))
    assert (silent.cost_usd, silent.unpriced) == (None, 1)


def test_sums_say_what_is_missing() -> None:
    total = usage_of(ack(FULL)).plus(usage_of(ack(None))).plus(usage_of(ack(FULL)))
    assert (total.answers, total.tokens, total.untold) == (3, 2_468, 1)
    assert (total.cost_usd, total.unpriced, total.cached_tokens) == (1.0, 1, 1_600)


def test_of_lost_work_only_the_sum_is_known() -> None:
    lost = usage_lost(Spent(cost_usd=0.25, tokens=10))
    assert (lost.tokens, lost.input_tokens, lost.cost_usd) == (10, None, 0.25)
    assert usage_lost(Spent(seconds=3)) == UsageTotal(answers=1, untold=1, unpriced=1)


@pytest.mark.req("U-11")
def test_in_words() -> None:
    one = usage_of(ack(FULL))
    assert told_tokens(one) == "1,234 (1,000 in, 800 of them cached; 234 out)"
    assert told_cost(one) == "$0.5000"
    some = one.plus(usage_of(ack(None)))
    assert told_tokens(some).startswith("at least 1,234 (")
    assert told_tokens(some).endswith(", unknown for 1 of 2 answers")
    assert told_cost(some) == "at least $0.5000, unknown for 1 of 2 answers"
    assert told_tokens(UsageTotal(answers=1)) == told_cost(UsageTotal(answers=1)) == "unknown"
    assert told_tokens(usage_lost(Spent(tokens=7))) == "7"


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "$0.00"), (0.00001, "<$0.0001"), (0.0312, "$0.0312"), (1234.5, "$1,234.50")],
)
def test_money(amount: float, text: str) -> None:
    assert dollars(amount) == text
