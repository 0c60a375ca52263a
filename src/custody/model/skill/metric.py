"""Metrics of a skill: what a contract says of them, and whether a value keeps to it."""

from __future__ import annotations

import math
from typing import Literal, get_args

from custody.model.record import Record

Direction = Literal["higher", "lower", "none"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
MetricValue = int | float | str
_SHOWN = 40


class MetricRule(Record, frozen=True):
    """What a contract says of one metric. A metric with a rule must be there."""

    unit: str = ""
    """Such as ``ns`` or ``um^2``; for people."""
    direction: Direction = "none"
    """Which values are better; ``none`` where neither is."""
    min: float | None = None
    """The least value that is believed; a metric with a bound must be a number."""
    max: float | None = None
    """The greatest value that is believed."""
    description: str = ""


def is_finite(value: float) -> bool:
    """Whether a number can be reckoned with: JSON can spell integers that no float can hold."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def disbelieved(rule: MetricRule, value: MetricValue | None) -> str:
    """Return why a value is not believed, without the metric's name; empty when it is.

    None is a metric that is missing. A number that is none (NaN) or infinite is never believed.
    """
    if value is None:
        return "is missing"
    if isinstance(value, str):
        bounded = rule.min is not None or rule.max is not None or rule.direction != "none"
        return f"is {value!r}, not a number" if bounded else ""
    if not is_finite(value):
        return f"is {str(value)[:_SHOWN]}, not a number"
    if rule.min is not None and value < rule.min:
        return f"is {value:.12g}, under the least of {rule.min:.12g}"
    if rule.max is not None and value > rule.max:
        return f"is {value:.12g}, over the most of {rule.max:.12g}"
    return ""
