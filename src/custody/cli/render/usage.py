"""Time, tokens and cost for a person: in a cell of a table, and in a line of their own.

``-`` stands where no agent was asked, ``?`` where none told, and ``+`` behind a sum to which
somebody told nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from custody.cli.render.table import seconds
from custody.cli.result import Line
from custody.model.usage import UsageTotal, dollars, told_cost, told_tokens

_THOUSAND = 1_000
_UNITS = ("", "k", "M", "G")


def tokens_cell(total: UsageTotal | UnsetType, *, apart: bool = True) -> str:
    """Return input and output as ``12.3k/456``, or both together where not ``apart``."""
    if total is UNSET or not total.answers:
        return "-"
    if total.tokens is None:
        return "?"
    if total.input_tokens is None or not apart:
        text = short(total.tokens)
    else:
        text = f"{short(total.input_tokens)}/{short(total.output_tokens or 0)}"
    return f"{text}+" if total.untold else text


def cost_cell(total: UsageTotal | UnsetType) -> str:
    """Return the cost."""
    if total is UNSET or not total.answers:
        return "-"
    if total.cost_usd is None:
        return "?"
    return f"{dollars(total.cost_usd)}+" if total.unpriced else dollars(total.cost_usd)


def totals(active_seconds: float, total: UsageTotal | UnsetType) -> Iterator[Line]:
    """Return the lines of a whole run; tokens and cost only where an agent was asked."""
    yield Line(f"time:     {seconds(active_seconds)} of work")
    if total is not UNSET and total.answers:
        yield Line(f"tokens:   {told_tokens(total)}", hang=10)
        yield Line(f"cost:     {told_cost(total)}", hang=10)


def short(number: int) -> str:
    """Return a count in at most five characters."""
    value, unit = float(number), 0
    while value >= _THOUSAND - 0.5 and unit < len(_UNITS) - 1:
        value, unit = value / _THOUSAND, unit + 1
    if not unit:
        return str(number)
    return f"{value:.1f}{_UNITS[unit]}" if value < 99.95 else f"{value:.0f}{_UNITS[unit]}"  # noqa: PLR2004
