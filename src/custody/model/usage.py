"""Tokens and cost of a stage or a run, as far as those who worked told them.

What nobody told is None, never 0: whoever reads a sum must see whether it is the whole.
"""

from __future__ import annotations

from typing import TypeVar

from custody.model.record import Record
from custody.model.request import Ack, Spent

_N = TypeVar("_N", int, float)


class UsageTotal(Record, frozen=True):
    """What the answers of agents cost together."""

    answers: int = 0
    """How many answers of agents it is about, work that was lost included."""
    tokens: int | None = None
    """Of input and output; None when no answer told any."""
    input_tokens: int | None = None
    """Those that were read from a cache included."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Tokens of the input that were read from a cache."""
    untold: int = 0
    """Answers that told no tokens."""
    cost_usd: float | None = None
    """US dollars; None when no answer told any."""
    unpriced: int = 0
    """Answers that told no cost."""

    @property
    def told(self) -> bool:
        """Whether anything is known at all."""
        return self.tokens is not None or self.cost_usd is not None

    def plus(self, other: UsageTotal) -> UsageTotal:
        """Return both together."""
        cost = _sum(self.cost_usd, other.cost_usd)
        return UsageTotal(
            answers=self.answers + other.answers,
            tokens=_sum(self.tokens, other.tokens),
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            untold=self.untold + other.untold,
            cost_usd=None if cost is None else round(cost, 6),
            unpriced=self.unpriced + other.unpriced,
        )


def usage_of(ack: Ack) -> UsageTotal:
    """Return what one answer of an agent told."""
    used = ack.usage
    if used is None:
        return UsageTotal(answers=1, untold=1, unpriced=1)
    tokens = used.input_tokens + used.output_tokens
    told = bool(tokens)
    return UsageTotal(
        answers=1,
        tokens=tokens if told else None,
        input_tokens=used.input_tokens if told else None,
        output_tokens=used.output_tokens if told else None,
        cached_tokens=used.cached_tokens,
        untold=0 if told else 1,
        cost_usd=used.cost_usd,
        unpriced=1 if used.cost_usd is None else 0,
    )


def usage_lost(spent: Spent) -> UsageTotal:
    """Return what is known of work that counts no more; whether it was input or output is not."""
    return UsageTotal(
        answers=1,
        tokens=spent.tokens or None,
        untold=0 if spent.tokens else 1,
        cost_usd=spent.cost_usd or None,
        unpriced=0 if spent.cost_usd else 1,
    )


def _sum(one: _N | None, other: _N | None) -> _N | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


def told_tokens(total: UsageTotal) -> str:
    """Return the tokens in words: how many, of which kind, and whether that is all."""
    if total.tokens is None:
        return "unknown"
    parts = []
    if total.input_tokens is not None:
        cached = f", {total.cached_tokens:,} of them cached" if total.cached_tokens else ""
        parts = [f"{total.input_tokens:,} in{cached}", f"{total.output_tokens or 0:,} out"]
    split = f" ({'; '.join(parts)})" if parts else ""
    return f"{_least(total.untold)}{total.tokens:,}{split}{_untold(total.untold, total.answers)}"


def told_cost(total: UsageTotal) -> str:
    """Return the cost in words, and whether that is all."""
    if total.cost_usd is None:
        return "unknown"
    missing = _untold(total.unpriced, total.answers)
    return f"{_least(total.unpriced)}{dollars(total.cost_usd)}{missing}"


def dollars(amount: float) -> str:
    """Return an amount as short as it still tells something."""
    if amount >= 1 or not amount:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.0001 else "<$0.0001"  # noqa: PLR2004 - shown digits


def _least(missing: int) -> str:
    return "at least " if missing else ""


def _untold(missing: int, answers: int) -> str:
    return f", unknown for {missing} of {answers} answers" if missing else ""
